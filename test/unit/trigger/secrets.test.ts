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

test('the stored secret counts for ever, the former one for ten minutes more', () => {
	const stored: StoredSecrets = { secrets: [{ secret: 'first', since: 0 }] };
	expect(accepted(0, 'a', stored)).toEqual(['first']);
	storeSecret('a', stored, null);
	expect(accepted(minute, 'a', stored)).toEqual(['first']);
	storeSecret('a', stored, 'second');
	// Also in another process, and after a restart.
	for (const address of ['a', 'elsewhere']) {
		const saved = copy(stored);
		expect(accepted(10 * minute - 1, address, saved)).toEqual(['second', 'first']);
		expect(accepted(10 * minute, address, saved)).toEqual(['second']);
		expect(accepted(365 * 24 * 60 * minute, address, saved)).toEqual(['second']);
	}
});

test('each of several that were replaced counts for ten minutes, and is forgotten then', () => {
	const stored: StoredSecrets = {};
	for (const secret of ['a', 'b', 'c']) {
		storeSecret('b', stored, secret);
		now += 6 * minute;
	}
	expect(accepted(15 * minute, 'b', stored)).toEqual(['c', 'b', 'a']);
	expect(accepted(16 * minute, 'b', stored)).toEqual(['c', 'b']);
	storeSecret('b', stored, 'd');
	expect(stored.secrets).toHaveLength(3);
});

test('a secret counts in this process before n8n has stored it, for its own trigger only', () => {
	storeSecret('c', {}, 'fresh');
	expect(accepted(minute, 'c')).toEqual(['fresh']);
	expect(accepted(minute, 'c', { secrets: [{ secret: 'fresh', since: 0 }] })).toEqual(['fresh']);
	expect(accepted(minute, 'other')).toEqual([]);
	// A renamed node, of which n8n has stored nothing, still has it.
	storeSecret('c', {}, null);
	expect(accepted(11 * minute - 1, 'c')).toEqual(['fresh']);
	expect(accepted(11 * minute, 'c')).toEqual([]);
});

test('a former secret that another trigger of the workflow has put back does not displace the current one', () => {
	const stored: StoredSecrets = {};
	storeSecret('e', stored, 'first');
	const putBack = copy(stored);
	now = minute;
	storeSecret('e', stored, 'second');
	expect(accepted(2 * minute, 'e', putBack)).toEqual(['second', 'first']);
	expect(accepted(11 * minute, 'e', putBack)).toEqual(['second']);
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
