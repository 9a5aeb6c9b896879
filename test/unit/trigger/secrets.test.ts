import {
	acceptedSecrets,
	expectSecret,
	keepSecret,
	secretArrives,
	type StoredSecrets,
} from '../../../nodes/MessagingService/trigger/secrets';

const minute = 60_000;
const now = Date.parse('2026-01-31T12:00:00Z');

/** What n8n has stored. */
const copy = (stored: StoredSecrets) => JSON.parse(JSON.stringify(stored)) as StoredSecrets;

test('the stored secret counts for ever, the former one for ten minutes more', () => {
	const stored: StoredSecrets = { secret: 'first' };
	expect(acceptedSecrets('a', stored, now)).toEqual(['first']);
	keepSecret('a', stored, undefined, now);
	expect(acceptedSecrets('a', stored, now)).toEqual(['first']);
	keepSecret('a', stored, 'second', now + minute);
	// Also in another process, and after a restart.
	for (const trigger of ['a', 'elsewhere']) {
		const saved = copy(stored);
		expect(acceptedSecrets(trigger, saved, now + 10 * minute - 1)).toEqual(['second', 'first']);
		expect(acceptedSecrets(trigger, saved, now + 10 * minute)).toEqual(['second']);
		expect(acceptedSecrets(trigger, saved, now + 365 * 24 * 60 * minute)).toEqual(['second']);
	}
});

test('of several that were replaced the last one counts', () => {
	const stored: StoredSecrets = {};
	for (const secret of ['a', 'b', 'c']) keepSecret('b', stored, secret, now);
	expect(acceptedSecrets('b', stored, now + 9 * minute)).toEqual(['c', 'b']);
});

test('a secret counts in this process before n8n has stored it, for its own trigger only', () => {
	keepSecret('c', {}, 'fresh', now);
	expect(acceptedSecrets('c', {}, now + minute)).toEqual(['fresh']);
	expect(acceptedSecrets('c', { secret: 'fresh', since: now }, now + minute)).toEqual(['fresh']);
	expect(acceptedSecrets('other', {}, now + minute)).toEqual([]);
	keepSecret('c', {}, undefined, now + minute);
	keepSecret('c', {}, undefined, now + 5 * minute);
	expect(acceptedSecrets('c', {}, now + 11 * minute - 1)).toEqual(['fresh']);
	expect(acceptedSecrets('c', {}, now + 11 * minute)).toEqual([]);
});

test('a node with another name, of which n8n knows nothing, still has its former secret', () => {
	keepSecret('d', {}, 'first', now);
	keepSecret('d', {}, undefined, now);
	const renamed: StoredSecrets = {};
	keepSecret('d', renamed, 'second', now);
	expect(acceptedSecrets('d', copy(renamed), now + 9 * minute)).toEqual(['second', 'first']);
	expect(acceptedSecrets('d', copy(renamed), now + 10 * minute)).toEqual(['second']);
});

test('a former secret that another trigger of the workflow has put back does not displace the current one', () => {
	const stale: StoredSecrets = {};
	keepSecret('e', stale, 'first', now);
	const putBack = copy(stale);
	keepSecret('e', stale, 'second', now + minute);
	expect(acceptedSecrets('e', putBack, now + 2 * minute)).toEqual(['second', 'first']);
	expect(acceptedSecrets('e', putBack, now + 11 * minute)).toEqual(['second']);
});

test('a secret that another process has registered later displaces the one of this process', () => {
	keepSecret('f', {}, 'ours', now);
	const stored: StoredSecrets = { secret: 'theirs', since: now + minute };
	expect(acceptedSecrets('f', stored, now + 2 * minute)).toEqual(['theirs', 'ours']);
	expect(acceptedSecrets('f', stored, now + 11 * minute)).toEqual(['theirs']);
});

test('there is none without a registration, nor an empty one', () => {
	expect(acceptedSecrets('g', {}, now)).toEqual([]);
	expect(acceptedSecrets('g', { secret: '' }, now)).toEqual([]);
	const stored: StoredSecrets = { secret: '' };
	keepSecret('g', stored, undefined, now);
	expect(stored).toEqual({});
});

test.each([true, false])('a secret on its way is waited for (arriving: %s)', async (arriving) => {
	expect(await secretArrives('h')).toBe(false);
	let end = () => {};
	const request = new Promise<void>((resolve, reject) => {
		end = () => (arriving ? resolve() : reject(new Error('Down')));
	});
	const registration = expectSecret('h', request).catch(() => 'failed');
	let hasEnded = false;
	const waiting = secretArrives('h').then((waited) =>
		expect([waited, hasEnded]).toEqual([true, true]),
	);
	expect(await secretArrives('i')).toBe(false);
	hasEnded = true;
	end();
	await waiting;
	expect(await registration).toBe(arriving ? undefined : 'failed');
	expect(await secretArrives('h')).toBe(false);
});
