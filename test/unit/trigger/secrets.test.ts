import {
	acceptedSecrets,
	expectSecret,
	keep,
	letGo,
	retire,
	secretArrives,
	type StoredSecrets,
} from '../../../nodes/MessagingService/trigger/secrets';

const minute = 60_000;
const now = Date.parse('2026-01-31T12:00:00Z');

test('the stored secret counts for ever, a former one for ten minutes more', () => {
	const stored: StoredSecrets = { secret: 'first' };
	expect(acceptedSecrets('a', stored, now)).toEqual(['first']);
	retire(stored, now);
	stored.secret = 'second';
	expect(acceptedSecrets('a', stored, now + 10 * minute - 1)).toEqual(['second', 'first']);
	expect(acceptedSecrets('a', stored, now + 10 * minute)).toEqual(['second']);
	expect(acceptedSecrets('a', stored, now + 365 * 24 * 60 * minute)).toEqual(['second']);
});

test('each of several former ones counts for its own ten minutes, through n8n storing them', () => {
	let stored: StoredSecrets = {};
	for (const [index, secret] of ['a', 'b', 'c'].entries()) {
		stored.secret = secret;
		retire(stored, now + index * 4 * minute);
		stored = JSON.parse(JSON.stringify(stored)) as StoredSecrets;
	}
	expect(acceptedSecrets('b', stored, now + 9 * minute)).toEqual(['a', 'b', 'c']);
	expect(acceptedSecrets('b', stored, now + 13 * minute)).toEqual(['b', 'c']);
	expect(acceptedSecrets('b', stored, now + 18 * minute)).toEqual([]);
});

test('what has run out is not kept', () => {
	const stored: StoredSecrets = { secret: 'a' };
	retire(stored, now);
	stored.secret = 'b';
	retire(stored, now + 11 * minute);
	expect(stored).toEqual({ former: [{ secret: 'b', until: now + 21 * minute }] });
});

test('a secret counts in this process before n8n has stored it, for its own trigger only', () => {
	const trigger = 'workflow node';
	keep(trigger, 'fresh', now);
	expect(acceptedSecrets(trigger, {}, now + minute)).toEqual(['fresh']);
	expect(acceptedSecrets(trigger, { secret: 'fresh', since: now }, now + minute)).toEqual([
		'fresh',
	]);
	expect(acceptedSecrets('workflow other', {}, now + minute)).toEqual([]);
	letGo(trigger, 'fresh', now + minute);
	expect(acceptedSecrets(trigger, {}, now + 11 * minute - 1)).toEqual(['fresh']);
	expect(acceptedSecrets(trigger, {}, now + 11 * minute)).toEqual([]);
});

test('a former secret that another trigger of the workflow has put back does not displace the current one', () => {
	const stale: StoredSecrets = { secret: 'first', since: now };
	keep('f', 'first', now);
	keep('f', 'second', now + minute);
	expect(acceptedSecrets('f', stale, now + 2 * minute)).toEqual(['second', 'first']);
	expect(acceptedSecrets('f', stale, now + 12 * minute)).toEqual(['second']);
	expect(acceptedSecrets('f', stale, now + 365 * 24 * 60 * minute)).toEqual(['second']);
});

test('a secret that another process has registered later displaces the one of this process', () => {
	keep('g', 'ours', now);
	const stored: StoredSecrets = { secret: 'theirs', since: now + minute };
	expect(acceptedSecrets('g', stored, now + 2 * minute)).toEqual(['theirs', 'ours']);
	expect(acceptedSecrets('g', stored, now + 11 * minute)).toEqual(['theirs']);
});

test('there is none without a registration, nor an empty one', () => {
	expect(acceptedSecrets('c', {}, now)).toEqual([]);
	expect(acceptedSecrets('c', { secret: '' }, now)).toEqual([]);
	const stored: StoredSecrets = { secret: '' };
	retire(stored, now);
	expect(stored).toEqual({});
});

test.each([true, false])('a secret on its way is waited for (arriving: %s)', async (arriving) => {
	expect(await secretArrives('d')).toBe(false);
	let end = () => {};
	const request = new Promise<void>((resolve, reject) => {
		end = () => (arriving ? resolve() : reject(new Error('Down')));
	});
	const registration = expectSecret('d', request).catch(() => 'failed');
	let hasEnded = false;
	const waiting = secretArrives('d').then((waited) =>
		expect([waited, hasEnded]).toEqual([true, true]),
	);
	expect(await secretArrives('e')).toBe(false);
	hasEnded = true;
	end();
	await waiting;
	expect(await registration).toBe(arriving ? undefined : 'failed');
	expect(await secretArrives('d')).toBe(false);
});

describe('the secrets of many triggers', () => {
	test('are forgotten when they have run out, and no sooner', () => {
		keep('current', 'c', now);
		letGo('ended', 'e', now);
		letGo('later', 'l', now + 5 * minute);
		letGo('other', 'o', now + 12 * minute);
		// In this process, whatever time is asked for.
		expect(acceptedSecrets('ended', {}, now)).toEqual([]);
		expect(acceptedSecrets('current', {}, now)).toEqual(['c']);
		expect(acceptedSecrets('later', {}, now)).toEqual(['l']);
		expect(acceptedSecrets('other', {}, now)).toEqual(['o']);
		keep('both', 'b1', now);
		keep('both', 'b2', now);
		letGo('other', 'o', now + 60 * minute);
		expect(acceptedSecrets('both', {}, now)).toEqual(['b2', 'b1']);
	});

	test('are each there once, the last time that it ended counts', () => {
		const stored: StoredSecrets = { secret: 's' };
		retire(stored, now);
		stored.secret = 's';
		retire(stored, now + minute);
		expect(stored.former).toEqual([{ secret: 's', until: now + 11 * minute }]);
	});

	test('the replaced one counts until the later one is ten minutes old', () => {
		keep('two', 'new', now);
		const stored = { secret: 'old', since: now - 60 * minute };
		expect(acceptedSecrets('two', stored, now + 10 * minute - 1)).toEqual(['new', 'old']);
		expect(acceptedSecrets('two', stored, now + 10 * minute)).toEqual(['new']);
		expect(acceptedSecrets('nobody', {}, now)).toEqual([]);
		expect(acceptedSecrets('nobody', { secret: 's', since: now }, now)).toEqual(['s']);
	});
});
