import fc from 'fast-check';
import {
	acceptedSecrets,
	expectSecret,
	storeSecret,
	secretArrives,
	type StoredSecrets,
} from '../../../nodes/MessagingService/trigger/secrets';

const minute = 60_000;

/** Milliseconds since the beginning of a test. */
let now: number;
beforeEach(() => {
	now = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

/** What n8n has stored. */
const copy = (stored: StoredSecrets) => JSON.parse(JSON.stringify(stored)) as StoredSecrets;

/** The secrets that are accepted at a time. */
function accepted(time: number, address: string, stored: StoredSecrets = {}): string[] {
	now = time;
	return acceptedSecrets(address, stored);
}

/** Minutes between two registrations, and until the next delivery. */
const minutes = fc.constantFrom(0, 1, 5, 9, 10, 11, 500_000);
const steps = fc.array(fc.record({ wait: minutes, ends: fc.boolean() }), { minLength: 1 });

test('the latest secret counts, and each earlier one until ten minutes after its successor', () => {
	let runs = 0;
	fc.assert(
		fc.property(steps, minutes, (registrations, wait) => {
			const address = `run ${++runs}`;
			const stored: StoredSecrets = {};
			const copies: StoredSecrets[] = [];
			const all: Array<{ secret: string | null; since: number }> = [];
			now = 0;
			for (const [n, step] of registrations.entries()) {
				now += step.wait * minute;
				const secret = step.ends ? null : `s${n}`;
				storeSecret(address, stored, secret);
				copies.push(copy(stored));
				all.unshift({ secret, since: now });
			}
			now += wait * minute;
			const counting = all.filter((_, n) => now < (all[n - 1]?.since ?? now) + 10 * minute);
			const expected = counting.flatMap(({ secret }) => secret ?? []);
			// In this process, even if n8n has stored nothing yet, or another trigger has put back an older copy.
			for (const saved of [{}, ...copies])
				expect(acceptedSecrets(address, saved)).toEqual(expected);
			// In another process, and after a restart.
			expect(acceptedSecrets('elsewhere', copy(stored))).toEqual(expected);
			expect(acceptedSecrets('elsewhere', {})).toEqual([]);
		}),
	);
});

test('a clock that was ahead ends no new secret and keeps no former one alive', () => {
	const stored: StoredSecrets = {};
	now = 10_000 * minute;
	storeSecret('d', stored, 'former');
	const ahead = copy(stored);
	now = 0;
	expect(accepted(0, 'd', ahead)).toEqual(['former']);
	storeSecret('d', stored, 'fresh');
	// In another process, too, and where another trigger puts back what was stored.
	for (const [address, saved] of [
		['elsewhere', copy(stored)],
		['d', ahead],
	] as const) {
		expect(accepted(9 * minute, address, saved)).toEqual(['fresh', 'former']);
		expect(accepted(200 * minute, address, saved)).toEqual(['fresh']);
	}
});

test('a secret that another process has registered later displaces the one of this process', () => {
	storeSecret('f', {}, 'ours');
	const stored: StoredSecrets = { secrets: [{ secret: 'theirs', since: minute }] };
	expect(accepted(2 * minute, 'f', stored)).toEqual(['theirs', 'ours']);
	expect(accepted(11 * minute, 'f', stored)).toEqual(['theirs']);
});

test.each([true, false])('a secret on its way is waited for (arriving: %s)', async (arriving) => {
	let end = () => {};
	const request = new Promise<void>((resolve, reject) => {
		end = () => (arriving ? resolve() : reject(new Error('Down')));
	});
	const registration = expectSecret('h', request).catch(() => 'failed');
	let hasEnded = false;
	const waiting = secretArrives('h').then(() => expect(hasEnded).toBe(true));
	await secretArrives('i');
	hasEnded = true;
	end();
	await waiting;
	expect(await registration).toBe(arriving ? undefined : 'failed');
	await secretArrives('h');
});
