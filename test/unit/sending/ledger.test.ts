import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import { Ledger } from '../../../nodes/MessagingService/sending/ledger';
import { FakeStore } from '../../support/unit/fakeStore';

function ledgerIn(store: FakeStore) {
	const context = store.context('workflow', randomUUID());
	return { context, ledger: Ledger.of(context) as Ledger };
}

test('each node of each workflow has one; a workflow that was never saved has none', () => {
	const store = new FakeStore();
	const [one, other] = [randomUUID(), randomUUID()];
	const ledger = Ledger.of(store.context('a', one));
	expect(ledger).toBeInstanceOf(Ledger);
	expect(Ledger.of(store.context('a', one))).toBe(ledger);
	expect(Ledger.of(store.context('a', other))).not.toBe(ledger);
	expect(Ledger.of(store.context('b', one))).not.toBe(ledger);
	expect(Ledger.of(store.context('', one))).toBeUndefined();
	expect(Ledger.of(store.context(undefined, one))).toBeUndefined();
});

test('says what was noted before', async () => {
	const { context, ledger } = ledgerIn(new FakeStore());
	expect(await ledger.note(context, ['a', 'b'])).toEqual(new Set());
	expect(await ledger.note(context, ['b', 'c'])).toEqual(new Set(['b']));
	await ledger.strike(context, ['b']);
	expect(await ledger.note(context, ['a', 'b', 'c'])).toEqual(new Set(['a', 'c']));
});

test('every write repeats what is held, until it is released or struck', async () => {
	const store = new FakeStore();
	const { context, ledger } = ledgerIn(store);
	await ledger.note(context, ['a'], ['b', 'c', 'd']);
	ledger.release(['b']);
	await ledger.strike(context, ['c']);
	await ledger.note(context, ['e', 'd']);
	expect(store.calls).toEqual([
		['note', ['b', 'c', 'd', 'a']],
		['strike', ['c']],
		['note', ['d', 'e']],
	]);
	expect(store.entries).toEqual(['b', 'd', 'a', 'e']);
});

test('writes take turns, also when one has failed', async () => {
	let isRunning = false;
	let isBroken = true;
	const store = new FakeStore(async () => {
		expect(isRunning).toBe(false);
		isRunning = true;
		await nextTurn();
		isRunning = false;
		if (isBroken) throw new Error('locked');
	});
	const { context, ledger } = ledgerIn(store);
	const failed = failureOr(ledger.note(context, ['a']));
	const others = [ledger.note(context, ['b']), ledger.strike(context, ['c'])];
	const failure = await failed;
	expect(failure).toBeInstanceOf(Failure);
	expect((failure as Failure).outcome).toBe('notSent');
	expect((failure as Failure).message).toContain('locked');
	expect((failure as Failure).description).toContain('could send twice');
	expect(store.calls.filter(([, [first]]) => first === 'a')).toHaveLength(4);
	isBroken = false;
	await Promise.all(others);
	expect(store.entries).toEqual(['b']);
});

test('a write that fails for a moment is made again', async () => {
	let failures = 3;
	const store = new FakeStore(() => {
		if (failures-- > 0) throw new Error('UNIQUE constraint failed');
	});
	const { context, ledger } = ledgerIn(store);
	await ledger.note(context, ['a']);
	expect(store.entries).toEqual(['a']);
});

test('between such writes some time passes', async () => {
	let isLocked = true;
	setTimeout(() => (isLocked = false), 1);
	const store = new FakeStore(() => {
		if (isLocked) throw new Error('locked');
	});
	const { context, ledger } = ledgerIn(store);
	await ledger.note(context, ['a']);
	expect(store.entries).toEqual(['a']);
});

test('what is of no use is removed with the next removal, or together when there is much of it', async () => {
	const store = new FakeStore();
	const { context, ledger } = ledgerIn(store);
	await ledger.note(context, ['a', 'b']);
	await ledger.discard(context, ['a']);
	expect(store.entries).toEqual(['a', 'b']);
	await ledger.strike(context, []);
	expect(store.entries).toEqual(['b']);
	await ledger.strike(context, []);
	expect(store.calls.map(([kind]) => kind)).toEqual(['note', 'strike']);
	const many = Array.from({ length: 499 }, (_, index) => `m${index}`);
	await ledger.note(context, many);
	await ledger.discard(context, many);
	expect(store.entries).toHaveLength(500);
	await ledger.discard(context, ['b']);
	expect(store.entries).toEqual([]);
	expect(store.calls.at(-1)).toEqual(['strike', [...many, 'b']]);
});

test('the row holds 12,000 entries, the latest ones', async () => {
	const store = new FakeStore();
	const { context, ledger } = ledgerIn(store);
	await ledger.note(
		context,
		Array.from({ length: 12_001 }, (_, index) => `${index}`),
	);
	expect(store.entries).toHaveLength(12_000);
	expect(store.entries[0]).toBe('1');
});

test('remembers the latest 10,000 keyed sends that were accepted', () => {
	const { ledger } = ledgerIn(new FakeStore());
	for (let index = 0; index <= 10_000; index++) ledger.remember(`key ${index}`);
	expect(ledger.knows('key 0')).toBe(false);
	expect(ledger.knows('key 1')).toBe(true);
	expect(ledger.knows('key 10000')).toBe(true);
	expect(ledger.knows('key 10001')).toBe(false);
});
