import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';
import {
	grow,
	growths,
	leave,
	leavings,
	listOrder,
	runs,
	runsPatience,
} from '../support/lists/growth';

const sandbox = useSandbox();

jest.setTimeout(runsPatience);

const orders = ['newestFirst', 'oldestFirst', 'byId'] as const;
const messages = { resource: 'chatMessage', operation: 'getMany' };
const calls = { resource: 'voiceCall', operation: 'getMany' };
const start = Date.parse('2026-03-10T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

const timesOf = (records: IDataObject[]) =>
	records.map(
		({ sentAt, createdAt }) => (Date.parse(String(sentAt ?? createdAt)) - start) / 60_000,
	);

/** Minutes from `first` down. */
const down = (first: number, count: number) =>
	Array.from({ length: count }, (_, index) => first - index);

describe.each(orders)('a list that is shown %s', (listOrder) => {
	beforeEach(async () => {
		await sandbox.control.setAssumptions({ listOrder });
		// One a minute, from 00:00 UTC on.
		await sandbox.control.addMessages(120, { sentAt: at(0), everyMs: 60_000 });
		await sandbox.control.addCalls(120, { createdAt: at(0), everyMs: 60_000 });
	});

	test.each([
		['messages', messages],
		['calls', calls],
	])('a limit gives the newest %s, newest first', async (_name, list) => {
		expect(timesOf(await sandbox.json({ ...list, limit: 2 }))).toEqual([119, 118]);
		expect(timesOf(await sandbox.json({ ...list, limit: 110 }))).toEqual(down(119, 110));
		expect(timesOf(await sandbox.json({ ...list, returnAll: true }))).toEqual(down(119, 120));
	});

	test('messages to a number, of an ID and in a time', async () => {
		const [wanted] = (await sandbox.control.messages()).filter(({ to }) => to.endsWith('030'));
		const filtered = async (filters: IDataObject) =>
			timesOf(await sandbox.json({ ...messages, returnAll: true, filters } as never));
		expect(await filtered({ phone: `+${wanted?.to ?? ''}` })).toEqual([30]);
		expect(await filtered({ providerMessageId: String(wanted?.providerMessageId) })).toEqual([30]);
		expect(await filtered({ sentAfter: at(117) })).toEqual([119, 118, 117]);
		expect(await filtered({ sentBefore: at(1) })).toEqual([1, 0]);
		expect(await filtered({ sentAfter: at(50), sentBefore: at(51) })).toEqual([51, 50]);
		expect(await filtered({ phone: '919999999999' })).toEqual([]);
	});

	test('calls between two moments, both part of it; a day is its first moment in the time zone', async () => {
		const between = async (filters: IDataObject) =>
			timesOf(await sandbox.json({ ...calls, returnAll: true, filters } as never));
		expect(await between({ from: at(10), to: at(12) })).toEqual([12, 11, 10]);
		expect(await between({ from: at(10), to: at(10) })).toEqual([10]);
		// 02:00 in Kolkata is 20:30 UTC of the day before.
		await sandbox.control.addCalls(1, { createdAt: '2026-03-09T20:30:00Z' });
		const between9And = async (to: string) => (await between({ from: '2026-03-09', to })).length;
		expect([await between9And('2026-03-10'), await between9And('2026-03-11')]).toEqual([0, 121]);
		expect(await between({ from: '2026-03-10T01:59:00', to: '2026-03-10T02:01:00' })).toEqual([
			-210,
		]);
	});

	test('a call is found by its callId behind 120 others', async () => {
		const [callId] = await sandbox.control.addCalls(1, { createdAt: at(-1) });
		const get = { resource: 'voiceCall', operation: 'get' };
		const [entry] = await sandbox.json({ ...get, callId: String(callId) });
		expect(entry).toMatchObject({ id: callId, createdAt: at(-1) });
		const locator = { __rl: true, mode: 'list', value: String(callId) };
		const [short] = await sandbox.json({ ...get, callId: locator, simplify: true });
		expect(short).toMatchObject({ id: callId, phone: expect.any(String) as string });
		expect(Object.keys(short ?? {}).length).toBeLessThan(Object.keys(entry ?? {}).length);
		expect(short).not.toHaveProperty('transcript');
		const failure = await sandbox.failure({ ...get, callId: 'call_none' });
		expect(failure.message).toBe('The call log shows no call with the ID call_none');
	});
});

test('reading stops where nothing more can match', async () => {
	await sandbox.control.addMessages(1_000, { sentAt: at(0), everyMs: 60_000 });
	const read = async (filters: IDataObject) => {
		await sandbox.control.clearJournal();
		await sandbox.json({ ...messages, returnAll: true, filters } as never);
		return (await sandbox.requests('/chat/campaigns')).length;
	};
	expect(await read({ sentAfter: at(990) })).toBe(2);
	const newest = (await sandbox.control.messages()).at(-150);
	expect(await read({ providerMessageId: String(newest?.providerMessageId) })).toBe(2);
	await sandbox.control.setAssumptions({ listOrder: 'oldestFirst' });
	expect(await read({ sentBefore: at(10) })).toBe(10);
});

/** How a list is read, and filled with one record a minute that has its first status. */
const kinds = {
	messages: {
		list: messages,
		status: 'Sent',
		after: 'sentAfter',
		before: 'sentBefore',
		add: async (count: number) =>
			await sandbox.control.addMessages(count, { sentAt: at(0), everyMs: 60_000 }),
	},
	calls: {
		list: calls,
		status: 'initiated',
		after: 'from',
		before: 'to',
		add: async (count: number) =>
			await sandbox.control.addCalls(count, {
				createdAt: at(0),
				everyMs: 60_000,
				callStatus: 'initiated',
			}),
	},
};

describe.each(['messages', 'calls'] as const)('%s that change while they are read', (kind) => {
	const { list, status, after, before, add } = kinds[kind];
	const counts = fc.constantFrom('filtered' as const, 'all' as const);
	const drawn = fc.record({
		listOrder,
		totalWithStatus: counts,
		statsWithStatus: counts,
		count: fc.nat(450),
	});

	async function prepare({
		count,
		...assumptions
	}: typeof drawn extends fc.Arbitrary<infer T> ? T : never) {
		await sandbox.control.reset();
		await sandbox.control.setLifecycle({ enabled: false });
		await sandbox.control.setAssumptions(assumptions);
		return await add(count);
	}

	async function expectAll(staying: string[], filters: IDataObject): Promise<void> {
		const read = { ...list, returnAll: true, filters } as never;
		const ids = (await sandbox.json(read)).map(({ id }) => String(id));
		expect(new Set(ids).size).toBe(ids.length);
		expect(staying.filter((id) => !ids.includes(id))).toEqual([]);
	}

	test.each([
		['all', {}],
		['all since a moment', { [after]: at(0) }],
		['all until a moment', { [before]: at(10_000) }],
	])('take none along that stays, where %s of a status are read', async (_what, filters) => {
		await fc.assert(
			fc.asyncProperty(drawn, leavings, async (given, changes) => {
				const staying = await leave(sandbox.control, kind, changes, await prepare(given));
				await expectAll(staying, { status, ...filters });
			}),
			runs,
		);
	});

	test('are all there, each once, however many come meanwhile', async () => {
		await fc.assert(
			fc.asyncProperty(drawn, growths, async (given, changes) => {
				const ids = await prepare(given);
				await grow(sandbox.control, kind, changes);
				await expectAll(ids, {});
			}),
			runs,
		);
	});
});
