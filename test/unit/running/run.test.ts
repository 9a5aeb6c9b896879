import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import type { ItemOperation } from '../../../nodes/MessagingService/operation';
import { FakeExecution, FakeNode, lost, type FakeRun } from '../../support/unit/fakeNode';
import {
	campaign,
	message,
	numberedPhones,
	planning,
	read,
} from '../../support/unit/fakeOperations';
import { atOnce, one, parameters, phonesOf, turns } from '../../support/unit/sends';

const rejected = { error: 'The phone is not on chat' };
const byKey = { idempotencyKey: '={{ $json.key }}' };

describe('the output of a run', () => {
	test('has the order of the input, whichever response comes first', async () => {
		const items = numberedPhones(5);
		const respond = async ({ phone }: IDataObject) => {
			await turns(5 - Number(phone));
			return { id: phone };
		};
		const node = new FakeNode({ respond });
		expect(await node.run(message, { items, parameters: parameters(atOnce(5)) })).toEqual(
			items.map(({ phone: to }, item) => ({ json: { id: to, to }, pairedItem: { item } })),
		);
	});

	test('of a read needs one request for all items that read the same, and no record', async () => {
		const node = new FakeNode({ respond: () => ({ total: 1 }) });
		const items = [{ id: 'a' }, { id: 'b' }, { id: 'a' }, {}];
		const execution = new FakeExecution();
		const run = { items, parameters: { id: '={{ $json.id }}' }, execution };
		const output = await node.json(read, { ...run, continueOnFail: true });
		expect(output).toMatchObject([
			...Array(3).fill({ total: 1 }),
			{ error: 'ID is empty (item 3)' },
		]);
		expect(node.requests.map(({ qs }) => qs as IDataObject)).toEqual([{ id: 'a' }, { id: 'b' }]);
		expect((await node.failure(read, run)).context.itemIndex).toBe(3);
		await node.json(read, { ...run, continueOnFail: true });
		expect(node.requests).toHaveLength(4);
		expect([node.entries.size, execution.stored]).toEqual([0, {}]);
	});
});

describe('before anything is sent', () => {
	const items = [...numberedPhones(3), { phone: '' }];

	const emptyKey = ['a', ' '].map((key, n) => ({ phone: String(n), key }));
	const throwing = (text: string) => [{ phone: '0' }, { phone: new Error(text) as never }];

	test.each<[string, IDataObject[], IDataObject, number | undefined]>([
		['Recipient is empty', items, {}, 3],
		['Recipient: No such node', throwing('no such node [item 1]'), {}, 1],
		['Send Only Once per Key is empty', emptyKey, byKey, 1],
	])('an invalid item is found: %s', async (text, all, options, itemIndex) => {
		const node = new FakeNode();
		const run = { items: all, parameters: parameters({ ...atOnce(1), ...options }) };
		expect(await node.failure(message, run)).toMatchObject({
			message: text,
			description: expect.stringMatching(/This node sent nothing\.$/),
			context: { itemIndex, data: { outcome: 'notSent' } },
		});
		expect(node.requests).toEqual([]);
	});

	test('a joined operation that cannot be planned is one failure of all items', async () => {
		const node = new FakeNode();
		const run = { items, parameters: parameters({ chunkSize: 0 }), continueOnFail: true };
		expect(await node.run(campaign, run)).toMatchObject([
			{
				json: {
					error: 'Chunk Size is less than 1 (item 0)',
					details: { outcome: 'notSent' },
				},
				pairedItem: items.map((_, item) => ({ item })),
			},
		]);
		const failure = await node.failure(campaign, { ...run, continueOnFail: false });
		expect(failure.context.itemIndex).toBeUndefined();
		expect(node.requests).toEqual([]);
	});

	test.each<[FakeRun, RegExp]>([
		[{ parameters: parameters({ timeout: 0 }) }, /^Timeout \(Milliseconds\) is less than 1/],
		[{ parameters: parameters(atOnce(0)) }, /^Requests at Once is less than 1/],
		[{ credential: new Error('Credential "1" does not exist.') }, /^Credential "1" does not exist/],
		[{ credential: { baseUrl: 'nowhere', apiKey: 'k' } }, /^The base URL/],
	])('all items fail for %j, invalid ones for their own reason', async (bad, text) => {
		const node = new FakeNode();
		const run = { items, parameters: one, ...bad };
		const failed = await node.json(message, { ...run, continueOnFail: true });
		const advice = /Correct the parameter|(Open the|Choose or create a) credential/;
		const shared = {
			error: expect.stringMatching(text) as string,
			details: { description: expect.stringMatching(advice) as string },
		};
		const last = { error: 'Recipient is empty (item 3)' };
		expect(failed).toMatchObject([shared, shared, shared, last]);
		expect((await node.failure(message, run)).message).toMatch(text);
		expect(node.requests).toEqual([]);
	});
});

test.each<[IDataObject[], string[]]>([
	[[{ cost: 0 }, { cost: 4, remainingBalance: 981 }], ['2 messages sent; cost: 4; balance: 981']],
	[[{ cost: 1 }], ['1 message sent; cost: 1']],
	[[{ cost: 1 }, {}], []],
])('the cost of a run is a hint, if every response states it: %j', async (responses, hints) => {
	const left = [...responses];
	const node = new FakeNode({ respond: () => left.shift() ?? { error: 'No' } });
	const items = numberedPhones(responses.length + 1);
	await node.run(message, { items, parameters: one, continueOnFail: true });
	const failed = expect.stringContaining(`1 of ${items.length} sends failed.`);
	expect(node.hints).toEqual([failed, ...hints]);
});

test.each(['never', 'always'])('items that repeat are a hint (Simulate: %s)', async (simulate) => {
	const node = new FakeNode();
	const items = [...numberedPhones(2), ...numberedPhones(2)];
	const parameters = { ...one, options: { ...one.options, simulate } };
	await node.run(message, { items, parameters });
	expect(node.hints.join()).toContain('2 of 4 items repeat the recipient and content of another');
});

describe('after a failure', () => {
	const items = numberedPhones(6);

	test('nothing new is sent, and sends in flight are awaited', async () => {
		let isOver = false;
		const respond = async ({ phone }: IDataObject) => {
			if (phone === '1') return rejected;
			if (phone === '2') await turns();
			isOver = phone === '2';
			return { id: phone };
		};
		const node = new FakeNode({ respond });
		const run = { items, parameters: parameters(atOnce(3)) };
		expect(await node.failure(message, run)).toMatchObject({
			message: rejected.error,
			description: expect.stringContaining('Already sent: 2 of 6 items.'),
			httpCode: '400',
			context: { itemIndex: 1, data: { outcome: 'rejected', statusCode: 400 } },
		});
		expect(isOver).toBe(true);
		expect(phonesOf(node)).not.toContain('4');
	});

	const invalid = [{ phone: '' }, { phone: '' }];
	const otherwise = [{ phone: '', key: 'a' }, { phone: '1' }];

	test.each<[typeof message | typeof campaign, IDataObject[], IDataObject, number | undefined]>([
		[message, otherwise, byKey, 0],
		[message, invalid, {}, undefined],
		[campaign, items, {}, undefined],
		[campaign, items.slice(0, 1), {}, 0],
	])('the first item with a reason of its own is to blame (%#)', async (operation, ...rest) => {
		const [some, options, blamed] = rest;
		const node = new FakeNode({ respond: () => rejected });
		const run = { items: some, parameters: parameters(options) };
		expect((await node.failure(operation, run)).context.itemIndex).toBe(blamed);
	});

	test('earlier campaigns are named, up to 20 of them, and the rest stays unsent', async () => {
		const respond = ({ phones }: IDataObject) => {
			const [phone] = phones as string[];
			return phone === '22' ? rejected : { id: phone };
		};
		const node = new FakeNode({ respond });
		const run = { items: numberedPhones(25), parameters: parameters({ chunkSize: 1 }) };
		const named = numberedPhones(20).map(({ phone }) => `campaign ${phone}`);
		expect(await node.failure(campaign, run)).toMatchObject({
			description: expect.stringContaining(`Already sent: ${named.join(', ')} and 2 more.`),
			context: { itemIndex: 22 },
		});
		expect(phonesOf(node)).toHaveLength(23);
	});
});

const pause = { batching: { batch: { batchSize: 2, batchInterval: 3_600_000 } } };

test.each<[string, IDataObject]>([
	['sends nothing new', atOnce(1)],
	['ends a pause between batches at once', pause],
])('an execution that is stopped %s and says what was left', async (_, pace) => {
	const execution = new FakeExecution();
	const respond = ({ phone }: IDataObject) => {
		const stop = () => execution.stop.abort();
		if (phone === '1' && pace === pause) setImmediate(stop);
		else if (phone === '1') stop();
		return { id: phone };
	};
	const node = new FakeNode({ respond });
	const run = { items: numberedPhones(4), parameters: parameters(pace), continueOnFail: true };
	const error = 'The execution was stopped before this was sent';
	const description = 'When you send the rest, leave out the items that were sent.';
	const left = { error, details: { outcome: 'notSent', description } };
	const reported = await node.json(message, { ...run, execution });
	expect(reported).toMatchObject([{ id: '0' }, { id: '1' }, left, left]);
	expect(node.requests).toHaveLength(2);
});

describe('a simulation', () => {
	const simulated = parameters({ simulate: 'always', chunkSize: 2 });
	const items = numberedPhones(3);

	test('shows all requests and makes none', async () => {
		const node = new FakeNode();
		expect(await node.json(message, { items, parameters: simulated })).toMatchObject(
			items.map((body) => ({ simulated: true, request: { path: '/chat/send', body } })),
		);
		const five = { items: numberedPhones(5), parameters: parameters({ simulate: 'always' }) };
		const phones = ['0', '1', '2', '(2 more)'];
		expect(await node.json(campaign, five)).toMatchObject([
			{ total: 5, request: { body: { phones } } },
		]);
		expect(node.requests).toEqual([]);
		expect(node.entries.size).toBe(0);
	});

	test.each([
		[
			{ marketing: 3, utility: 1 },
			'Sending would cost 6 chat credits (marketing) or 2 chat credits (utility).',
		],
		[{ amount: 1 }, 'Sending would cost 2 chat credits.'],
		[{ amount: null }, 'The price is not documented.'],
	])('says so, with the sum of its cost: %j', async (prices, sum) => {
		const node = new FakeNode();
		const cost = () => ({ unit: 'chat credits', ...prices });
		const [item = {}] = await node.json({ ...campaign, cost }, { items, parameters: simulated });
		expect(node.hints).toEqual([`Simulated: nothing was sent for 2 requests. ${sum}`]);
		expect(Object.keys(item)).toEqual(['simulated', 'total', 'cost', 'count', 'request']);
	});
});

describe('the check of the balance', () => {
	const items = numberedPhones(4);
	const bank = (chatBalance: number) => () => ({ id: 1, chatBalance });

	test.each([
		['what is simulated beside what is sent', 'simulate', ['always', 'never', 'never', 'never']],
		['what has the key of another', 'idempotencyKey', ['a', 'b', 'c', 'c']],
	])('leaves out %s', async (_, option, values) => {
		const options = { checkBalance: true, [option]: '={{ $json.value }}', ...atOnce(1) };
		const run = {
			items: items.map((item, n) => ({ ...item, value: values[n] })),
			parameters: parameters(options),
		};
		const node = new FakeNode({ respond: bank(3) });
		await node.run(message, run);
		expect(node.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
		const poor = new FakeNode({ respond: bank(2) });
		const { context } = await poor.failure(message, run);
		expect(context.data).toMatchObject({ outcome: 'notSent', needed: 3, available: 2 });
		expect(poor.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	test.each([
		[rejected, rejected.error, 'rejected'],
		[{ emailBalance: 9 }, 'The response has no usable chatBalance', 'notSent'],
	])('with the response %j reports why, and nothing is sent', async (respond, text, outcome) => {
		const node = new FakeNode({ respond: () => respond });
		const run = { items, parameters: parameters({ checkBalance: true }) };
		expect(await node.failure(message, run)).toMatchObject({
			message: expect.stringContaining(text),
			context: { data: { outcome } },
		});
		expect(node.requests.map(({ method }) => method)).toEqual(['GET']);
	});
});

describe('the time limit of the workflow', () => {
	const items = numberedPhones(6);
	const noTime = 'The time limit of the workflow leaves too little time to send this';
	let now: number;
	beforeEach(() => {
		now = 1_800_000_000_000;
		jest.spyOn(Date, 'now').mockImplementation(() => now);
	});
	afterEach(() => jest.restoreAllMocks());
	const taking = (ms: number) => new FakeNode({ respond: () => ({ id: (now += ms) }) });

	test('stops the run in good order, and a retry goes on', async () => {
		const node = taking(5_000);
		const execution = new FakeExecution({ establishedAt: now });
		const run = { items, parameters: one, executionTimeout: 30 };
		expect(await node.failure(message, { ...run, execution })).toMatchObject({
			message: noTime,
			description: expect.stringMatching(/Raise the limit .* Already sent: 3 of 6 items\./),
			context: { itemIndex: 3, data: { outcome: 'notSent' } },
		});
		expect(node.requests.map(({ timeout }) => timeout)).toEqual([28_000, 23_000, 18_000]);
		expect(await node.json(message, { ...run, execution: execution.retried() })).toHaveLength(6);
		expect(node.sent).toEqual(items);
	});

	test('counts in a retry from the first run of the node, in whatever round or attempt', async () => {
		const node = taking(10_000);
		const execution = new FakeExecution({ establishedAt: now - 60_000 }).retried();
		const run = { items: items.slice(0, 1), parameters: one, executionTimeout: 30, execution };
		for (const runIndex of [0, 1]) await node.json(message, { ...run, runIndex });
		for (let attempts = 0; attempts < 2; attempts++)
			expect((await node.failure(message, { ...run, runIndex: 2 })).message).toBe(noTime);
		expect(node.sent).toHaveLength(2);
	});

	test('starts over after a wait, however short that was', async () => {
		const execution = new FakeExecution({ establishedAt: now });
		const node = taking(10 * 60_000);
		const run = { items: items.slice(0, 1), parameters: one, executionTimeout: 3_600, execution };
		now += 50 * 60_000;
		for (let runIndex = 0; runIndex < 4; runIndex++) await node.json(message, { ...run, runIndex });
		expect(node.sent).toHaveLength(4);
	});

	test('ends the run where a pause between batches would pass it', async () => {
		const node = new FakeNode();
		const batching = { batch: { batchSize: 2, batchInterval: 3_600_000 } };
		const run = { items, parameters: parameters({ batching }), executionTimeout: 30 };
		const { message: text, context } = await node.failure(message, run);
		expect([text, context.itemIndex]).toEqual([noTime, 2]);
		expect(node.sent).toEqual(items.slice(0, 2));
	});
});

test('a workflow that was never saved sends without a record', async () => {
	const node = new FakeNode({ isUnsaved: true });
	expect(await node.json(message, { items: numberedPhones(2), parameters: one })).toHaveLength(2);
	expect(node.entries.size).toBe(0);
});

test('an unexpected error after a request makes it unknown, and nothing waits for it', async () => {
	const odd: ItemOperation = {
		...message,
		output: () => {
			throw new Error('Odd');
		},
	};
	const node = new FakeNode();
	const items = numberedPhones(2).map((item) => ({ ...item, key: 'k' }));
	const run = { items, parameters: parameters(byKey) };
	for (const error of ['Odd', 'another execution with the key "k", may already have sent this']) {
		const reported = await node.json(odd, { ...run, continueOnFail: true });
		expect(reported[0]).toMatchObject({
			error: expect.stringContaining(error),
			details: {
				outcome: 'unknown',
				description: expect.stringMatching(/^(Check with the service|Before resending)/),
			},
		});
	}
	expect(node.requests).toHaveLength(1);
	const stopping = new FakeNode();
	await stopping.failure(odd, { items: numberedPhones(5), parameters: one });
	expect(stopping.requests).toHaveLength(1);
});

test.each<[string, () => unknown, string | undefined]>([
	['arrives', () => ({}), undefined],
	['is a rejection', () => rejected, 'rejected'],
	['does not arrive', lost, 'notSent'],
	['arrives when the execution is stopped', () => ({}), 'notSent'],
])('a message is sent if the response that it needs %s', async (is, respond, outcome) => {
	const execution = new FakeExecution();
	const operation = planning(message, {
		prepare: async (call) => {
			await call({ endpoint: endpoints.createWebhook, body: {} });
			if (is.endsWith('stopped')) execution.stop.abort();
			return { endpoint: endpoints.sendText, body: { phone: '0' } };
		},
	});
	const node = new FakeNode({ respond: ({ phone }) => (phone ? {} : respond()) });
	const run = { items: numberedPhones(1), parameters: one, execution, continueOnFail: true };
	const [reported] = await node.json(operation, run);
	expect((reported?.details as IDataObject | undefined)?.outcome).toBe(outcome);
	expect(node.requests).toHaveLength(outcome === undefined ? 2 : 1);
	// A retry sends what was not sent, even if it remembers nothing.
	const retry = { ...run, execution: execution.afterCrash() };
	if (outcome !== undefined)
		expect(await node.json(message, retry)).toMatchObject([{ success: true }]);
});
