import type { IDataObject } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const orders = ['newestFirst', 'oldestFirst', 'byId'] as const;
const messages = { resource: 'chatMessage', operation: 'getMany' };
const calls = { resource: 'voiceCall', operation: 'getMany' };
const logPath = '/voice/call-logs';
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

	test.each(['callId', 'own'] as const)(
		'Wait for Completion finds its call behind 250 older ones to the number; the log shows %s',
		async (callLogId) => {
			await sandbox.control.setAssumptions({ callLogId });
			const to = '919876543210';
			await sandbox.control.addCalls(250, { to, createdAt: at(0), everyMs: 1_000 });
			await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 20, endedAfterMs: 20 });
			await sandbox.control.clearJournal();
			const [json] = await sandbox.json({
				resource: 'voiceCall',
				operation: 'create',
				to,
				content: 'text',
				text: 'Hello',
				options: { waitForCompletion: true, pollInterval: 1, maxWait: 10 },
			});
			expect(json).toMatchObject({ ended: true, callStatus: 'success' });
			const placed = (await sandbox.control.calls()).find(({ transcript }) =>
				transcript.includes('Call placed'),
			);
			expect((json?.callLog as IDataObject).id).toBe(placed?.id);
		},
	);
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

test.each(orders)('lists that grow while they are read, shown %s', async (listOrder) => {
	await sandbox.control.setAssumptions({ listOrder });
	await sandbox.control.addMessages(250, { sentAt: at(0), everyMs: 60_000 });
	await sandbox.control.addCalls(250, { createdAt: at(0), everyMs: 60_000 });
	const grow = { kind: 'grow', count: 2 } as const;
	await sandbox.control.addFault({ ...grow, path: '/chat/campaigns', messages: { n: 60 } });
	await sandbox.control.addFault({ ...grow, path: logPath, calls: { n: 60 } });
	for (const list of [messages, calls]) {
		const records = await sandbox.json({ ...list, returnAll: true });
		expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
		// Those that came meanwhile are newer.
		expect(timesOf(records).filter((minutes) => minutes < 250)).toEqual(down(249, 250));
	}
});

test.each(orders)('a call log that grows while it is waited, shown %s', async (listOrder) => {
	await sandbox.control.setAssumptions({ listOrder, callLogId: 'own' });
	const to = '919876543210';
	await sandbox.control.addCalls(99, { to, recipientName: 'Ben' });
	const waiting = sandbox.json({
		resource: 'voiceCall',
		operation: 'create',
		to,
		content: 'text',
		text: 'Hello',
		recipientName: 'Anna',
		options: { waitForCompletion: true, pollInterval: 1, maxWait: 10 },
	});
	const placed = async () =>
		(await sandbox.control.calls()).find(({ campaignName }) => campaignName === 'Anna');
	while (!(await placed())) await sandbox.requests();
	await sandbox.control.addCalls(120, { to, recipientName: 'Ben' });
	const id = (await placed())?.id ?? '';
	await sandbox.control.updateCall(id, { callStatus: 'success' });
	const [json] = await waiting;
	expect(json).toMatchObject({ ended: true, callLog: { id } });
	expect(await sandbox.requests(logPath)).not.toHaveLength(0);
});
