import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useOneNode } from '../support/e2e/oneNode';
import { leave } from '../support/lists/growth';

const workflow = useOneNode('Lists');

const orders = ['newestFirst', 'oldestFirst', 'byId'] as const;
const messages = { resource: 'chatMessage', operation: 'getMany' };
const calls = { resource: 'voiceCall', operation: 'getMany' };
const start = Date.parse('2026-03-10T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
const json = async (parameters: INodeParameters, timezone = 'UTC') =>
	await workflow.json({ parameters, timezone });

const minutesOf = (records: IDataObject[]) =>
	records.map(
		({ sentAt, createdAt }) => (Date.parse(String(sentAt ?? createdAt)) - start) / 60_000,
	);

describe.each(orders)('a list that the service shows %s', (listOrder) => {
	beforeEach(async () => {
		await workflow.control.setAssumptions({ listOrder });
		// One a minute.
		await workflow.control.addMessages(120, { sentAt: at(0), everyMs: 60_000 });
		await workflow.control.addCalls(120, { createdAt: at(0), everyMs: 60_000 });
	});

	test('Get Many gives the newest, newest first', async () => {
		expect(minutesOf(await json({ ...messages, limit: 2 }))).toEqual([119, 118]);
		expect(minutesOf(await json({ ...calls, limit: 2 }))).toEqual([119, 118]);
	});

	test('all records come once each although the list grows while it is read', async () => {
		const grow = { kind: 'grow', n: 60 } as const;
		for (const [path, list] of [
			['/chat/campaigns', messages],
			['/voice/call-logs', calls],
		] as const) {
			const records = path === '/chat/campaigns' ? 'messages' : 'calls';
			await workflow.control.addFault({ kind: grow.kind, path, [records]: { n: grow.n } });
			const all = await json({ ...list, returnAll: true });
			expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
			expect(minutesOf(all).filter((minutes) => minutes < 120)).toEqual(
				Array.from({ length: 120 }, (_, index) => 119 - index),
			);
		}
	});

	test.each([
		['returned', {}, {}],
		['looked for since a moment', { sentAfter: at(200) }, { from: at(200) }],
		['looked for until a moment', { sentBefore: at(400) }, { to: at(400) }],
	])(
		'one that gets another status while all are %s takes no other along',
		async (_how, sent, placed) => {
			const delivered = await workflow.control.addMessages(101, {
				sentAt: at(200),
				everyMs: 60_000,
				status: 'Delivered',
			});
			const started = await workflow.control.addCalls(101, {
				createdAt: at(200),
				everyMs: 60_000,
				callStatus: 'initiated',
			});
			// The first page has all but one, and then that one too.
			const one = [{ afterPages: 0, place: 0.5, count: 1 }];
			for (const [kind, list, ids, filters] of [
				['messages', messages, delivered, { ...sent, status: 'Delivered' }],
				['calls', calls, started, { ...placed, status: 'initiated' }],
			] as const) {
				const staying = await leave(workflow.control, kind, one, ids);
				const found = (await json({ ...list, returnAll: true, filters })).map(({ id }) => id);
				expect(new Set(found).size).toBe(found.length);
				expect(found).toEqual(expect.arrayContaining(staying));
			}
		},
	);

	test('Wait for Completion finds its call behind 101 older ones to the number', async () => {
		const to = '919876543210';
		await workflow.control.setAssumptions({ callLogId: 'own' });
		await workflow.control.addCalls(101, { to, createdAt: at(120), everyMs: 1_000 });
		await workflow.control.setLifecycle({ enabled: true, answeredAfterMs: 10, endedAfterMs: 10 });
		const [call] = await json({
			resource: 'voiceCall',
			operation: 'create',
			to,
			content: 'text',
			text: 'Hello',
			options: { waitForCompletion: true, pollInterval: 1, maxWait: 20 },
		});
		expect(call).toMatchObject({ completed: true, callStatus: 'success' });
		const own = (await workflow.control.calls()).find(({ transcript }) =>
			transcript.includes('Call placed'),
		);
		expect((call?.callLog as IDataObject).id).toBe(own?.id);
	});

	test('Voice Call Get finds a call by its ID, wherever it stands', async () => {
		const get = { resource: 'voiceCall', operation: 'get' };
		const [oldest] = await workflow.control.addCalls(1, { createdAt: at(-1) });
		expect(minutesOf(await json({ ...get, callId: String(oldest) }))).toEqual([-1]);
		const { message } = await workflow.failure({ parameters: { ...get, callId: 'none' } });
		expect(message).toBe('The call log shows no call with the ID none');
	});

	test('the filters of Get Many for messages', async () => {
		const [wanted] = (await workflow.control.messages()).filter(({ to }) => to.endsWith('030'));
		const filtered = async (filters: INodeParameters) =>
			minutesOf(await json({ ...messages, returnAll: true, filters }));
		expect(await filtered({ phone: `+${wanted?.to ?? ''}` })).toEqual([30]);
		expect(await filtered({ providerMessageId: wanted?.providerMessageId ?? '' })).toEqual([30]);
		expect(await filtered({ sentAfter: at(117), sentBefore: at(118) })).toEqual([118, 117]);
		expect(await filtered({ sentBefore: at(1) })).toEqual([1, 0]);
	});
});

test('a filter stops the reading where nothing more can match', async () => {
	await workflow.control.addMessages(1_000, { sentAt: at(0), everyMs: 60_000 });
	const found = await json({ ...messages, returnAll: true, filters: { sentAfter: at(990) } });
	expect(minutesOf(found)).toEqual([999, 998, 997, 996, 995, 994, 993, 992, 991, 990]);
	expect(await workflow.requests('/chat/campaigns')).toHaveLength(1);
});

test.each(['UTC', 'Asia/Kolkata', 'America/New_York'] as const)(
	'a call at 02:00 in Kolkata belongs to its day there, whatever zone the service counts in: %s',
	async (dayZone) => {
		await workflow.control.setAssumptions({ dayZone });
		// 20:30 UTC of the day before.
		await workflow.control.addCalls(1, { createdAt: '2026-03-09T20:30:00Z' });
		const day = async (date: string) => {
			const filters = { from: date, to: date };
			return (await json({ ...calls, returnAll: true, filters }, 'Asia/Kolkata')).length;
		};
		expect([await day('2026-03-09'), await day('2026-03-10'), await day('2026-03-11')]).toEqual([
			0, 1, 0,
		]);
	},
);
