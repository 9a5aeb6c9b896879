import { createRunExecutionData, type INodeParameters } from 'n8n-workflow';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone: '={{ $json.phone }}',
	templateName: 'order_update',
};
const path = '/chat/send-template';

const recipients = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		json: { phone: `9198765${String(10_000 + index)}` },
	}));

const continuing = { node: { onError: 'continueRegularOutput' as const } };

/** How often each recipient's message was accepted, most often first. */
async function acceptedCounts(): Promise<number[]> {
	const counts = new Map<string, number>();
	for (const { to } of await sandbox.control.messages()) counts.set(to, (counts.get(to) ?? 0) + 1);
	return [...counts.values()].sort((a, b) => b - a);
}

describe('validate first', () => {
	test('a mistake in the last item costs nothing', async () => {
		const items = [...recipients(20), { json: { phone: '0170' } }];
		const error = await sandbox.failure(template, { items });
		expect(error.message).toBe(
			'Recipient Phone Number "0170" starts with a zero: write the country code first, without 0 or 00 (item 21)',
		);
		expect(error.context.itemIndex).toBe(20);
		expect(error.description).toMatch(/it comes from\. Nothing was sent\.$/);
		expect(await sandbox.requests()).toEqual([]);
	});

	test('of a single item it is said once that nothing was sent', async () => {
		const error = await sandbox.failure(template, { items: [{ json: { phone: '0170' } }] });
		expect(error.description).toMatch(/it comes from\. Nothing was sent\.$/);
	});

	test('with continue on fail only the bad items fail', async () => {
		const items = [{ json: { phone: '0170' } }, ...recipients(2), { json: {} }];
		const output = await sandbox.run(template, { items, ...continuing });
		expect(output.map(({ json }) => Object.keys(json).includes('error'))).toEqual([
			true,
			false,
			false,
			true,
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(Object.keys(output[0]?.json ?? {}).sort()).toEqual(['details', 'error']);
		expect(await sandbox.requests(path)).toHaveLength(2);
	});

	test('a wrong option fails before any request', async () => {
		const options = { batching: { batch: { batchSize: 0 } } };
		const error = await sandbox.failure({ ...template, options }, { items: recipients(2) });
		expect(error.message).toContain('Requests at Once is less than 1');
		expect(await sandbox.requests()).toEqual([]);
	});
});

describe('pace', () => {
	test('never more connections than batchSize', async () => {
		await sandbox.control.addFault({ kind: 'latency', path, latencyMs: 5, count: 'infinite' });
		await sandbox.control.resetStats();
		const options = { batching: { batch: { batchSize: 7 } } };
		const output = await sandbox.run({ ...template, options }, { items: recipients(100) });
		expect(output).toHaveLength(100);
		const { peakConcurrentRequests } = await sandbox.control.stats();
		expect(peakConcurrentRequests).toBe(7);
	});
});

describe('stop on the first failure', () => {
	test('starts nothing new, awaits what is in flight and says what was sent', async () => {
		const body = { error: 'Out of order' };
		await sandbox.control.addFault({
			kind: 'status',
			path,
			status: 500,
			body,
			bodyContains: '919876510009',
		});
		const error = await sandbox.failure(template, { items: recipients(100) });
		expect(error.message).toBe('Out of order');
		expect(error.context.itemIndex).toBe(9);
		const sent = (await sandbox.control.messages()).length;
		expect(sent).toBeLessThan(20);
		expect(error.description).toContain(`${sent} of 100 items were sent before this`);
		expect(error.description).toContain('what was sent is not sent again');
	});

	test('does not claim that nothing was sent when that is not certain', async () => {
		await sandbox.control.addFault({ kind: 'cut', path, when: 'after', count: 'infinite' });
		const one = await sandbox.failure(template, { items: recipients(1) });
		expect(one.description).not.toMatch(/No item|Nothing/);
		const two = await sandbox.failure(template, { items: recipients(2) });
		expect(two.description).toContain('0 of 2 items were sent before this.');
	});

	test('with continue on fail the others are sent', async () => {
		const body = { error: 'Out of order' };
		await sandbox.control.addFault({ kind: 'status', path, status: 500, body, skip: 9 });
		const output = await sandbox.run(template, { items: recipients(30), ...continuing });
		expect(output.filter(({ json }) => json.error === 'Out of order')).toHaveLength(1);
		expect(await sandbox.control.messages()).toHaveLength(29);
	});
});

test('a message whose file is still being uploaded does not go out after a failure', async () => {
	const file = {
		data: Buffer.from('x').toString('base64'),
		mimeType: 'image/png',
		fileName: 'a.png',
	};
	const items = recipients(2).map((item) => ({ ...item, binary: { data: file } }));
	await sandbox.control.addFault({
		kind: 'latency',
		path: '/chat/upload',
		latencyMs: 400,
		skip: 1,
	});
	const body = { error: 'No' };
	await sandbox.control.addFault({ kind: 'status', path: '/chat/send-media', status: 400, body });
	const parameters = {
		resource: 'chatMessage',
		operation: 'sendMedia',
		phone: '={{ $json.phone }}',
		mediaSource: 'binary',
	};
	const error = await sandbox.failure(parameters, { items });
	expect(error.message).toBe('No');
	expect(await sandbox.requests('/chat/upload')).toHaveLength(2);
	expect(await sandbox.requests('/chat/send-media')).toHaveLength(1);
});

describe('nothing that went out is forgotten', () => {
	test('a retry in the same execution sends only what was not sent and returns all results', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(40);
		await sandbox.control.addFault({
			kind: 'status',
			path,
			status: 400,
			body: { error: 'No' },
			skip: 20,
		});
		await sandbox.failure(template, { items, runExecutionData });
		const before = (await sandbox.control.messages()).map(
			({ providerMessageId }) => providerMessageId,
		);
		const output = await sandbox.json(template, { items, runExecutionData });
		expect(await acceptedCounts()).toEqual(Array<number>(40).fill(1));
		const ids = output.map(({ providerMessageId }) => providerMessageId);
		expect(ids).toHaveLength(40);
		expect(ids).toEqual(expect.arrayContaining(before));
	});

	test('the memory survives being saved as JSON, stays small and is cleared on success', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(10).map(({ json }) => ({
			json: { ...json, ballast: 'x'.repeat(10_000) },
		}));
		await sandbox.control.addFault({
			kind: 'status',
			path,
			status: 400,
			body: { error: 'No' },
			skip: 9,
		});
		await sandbox.failure(template, { items, runExecutionData });
		const { contextData } = runExecutionData.executionData ?? {};
		const saved = JSON.stringify(contextData);
		expect(saved.length).toBeLessThan(5_000);

		const restored = createRunExecutionData();
		Object.assign(restored.executionData?.contextData ?? {}, JSON.parse(saved));
		await sandbox.run(template, { items, runExecutionData: restored });
		expect(await acceptedCounts()).toEqual(Array<number>(10).fill(1));
		expect(JSON.stringify(restored.executionData?.contextData)).not.toContain('providerMessageId');
	});

	test('another run of the node and a fresh execution send afresh, another field of an item does not', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(3);
		await sandbox.control.addFault({
			kind: 'status',
			path,
			status: 400,
			body: { error: 'No' },
			skip: 2,
		});
		await sandbox.failure(
			{ ...template, options: { batching: { batch: { batchSize: 1 } } } },
			{ items, runExecutionData },
		);
		expect(await sandbox.control.messages()).toHaveLength(2);

		await sandbox.run(template, { items, runExecutionData, runIndex: 1 });
		expect(await sandbox.control.messages()).toHaveLength(5);
		const changed = items.map(({ json }, index) => ({
			json: index === 0 ? { ...json, a: 1 } : json,
		}));
		await sandbox.run(template, { items: changed, runExecutionData });
		expect(await sandbox.control.messages()).toHaveLength(6);
		await sandbox.run(template, { items });
		expect(await sandbox.control.messages()).toHaveLength(9);
	});

	test('a parameter that gives another value at the retry sends nothing again', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(6);
		const body = { error: 'No' };
		await sandbox.control.addFault({ kind: 'status', path, status: 400, body, skip: 3 });
		const options = { batching: { batch: { batchSize: 1 } } };
		const value = '={{ $now.toMillis() }}';
		const first = { ...template, parametersUi: { parameter: [{ value }] }, options };
		await sandbox.failure(first, { items, runExecutionData });
		const edited = {
			...template,
			parametersUi: { parameter: [{ value: '={{ Math.random() }}' }] },
		};
		await sandbox.run({ ...edited, options }, { items, runExecutionData });
		expect(await acceptedCounts()).toEqual([1, 1, 1, 1, 1, 1]);
	});

	test('nor does a base URL that is only written otherwise', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(6);
		const body = { error: 'No' };
		await sandbox.control.addFault({ kind: 'status', path, status: 400, body, skip: 3 });
		await sandbox.failure(template, { items, runExecutionData });
		const { baseUrl, apiKey } = sandbox.credential();
		const credential = { baseUrl: `${baseUrl.replace('http:', 'HTTP:')}/`, apiKey };
		await sandbox.run(template, { items, runExecutionData, credential });
		expect(await acceptedCounts()).toEqual([1, 1, 1, 1, 1, 1]);
	});

	test('with continue on fail a retry repeats only the failed items', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(6);
		await sandbox.control.addFault({
			kind: 'status',
			path,
			status: 400,
			body: { error: 'No' },
			bodyContains: '919876510000',
		});
		const node = { ...continuing.node, retryOnFail: true };
		const first = await sandbox.json(template, { items, runExecutionData, node });
		expect(first.map(({ error }) => error)).toEqual(['No', ...Array<undefined>(5)]);
		const second = await sandbox.json(template, { items, runExecutionData, node });
		expect(second.slice(1)).toEqual(first.slice(1));
		expect(await acceptedCounts()).toEqual(Array<number>(6).fill(1));
	});
});

describe('never guess', () => {
	const unknownFaults = [
		['cut after processing', { kind: 'cut', path, when: 'after' } as const],
		['cut before processing', { kind: 'cut', path, when: 'before' } as const],
		['no answer', { kind: 'silence', path, when: 'after' } as const],
		['half an answer', { kind: 'halfResponse', path } as const],
		['502 with HTML', { kind: 'html', path, status: 502, when: 'after' } as const],
		['503 in JSON', { kind: 'status', path, status: 503, body: { error: 'Busy' } } as const],
		['a web page', { kind: 'html', path } as const],
	] as const;

	test.each(unknownFaults)('%s is unknown and not repeated by a retry', async (_name, fault) => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(4);
		const parameters = { ...template, options: { timeout: 500 } };
		await sandbox.control.addFault({ ...fault, bodyContains: '919876510001' });
		const error = await sandbox.failure(parameters, { items, runExecutionData });
		expect(error.context.data).toMatchObject({ outcome: 'unknown' });
		expect(error.message).toMatch(/It may have been sent and must not be repeated before a check$/);
		expect(error.description).toContain('Get Many');

		const arrived = (await sandbox.requests(path)).length;
		const again = await sandbox.failure(parameters, { items, runExecutionData });
		expect(again.message).toBe(error.message);
		expect(await sandbox.requests(path)).toHaveLength(arrived);
	});

	test('resendUnknown sends it again', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(3);
		await sandbox.control.addFault({
			kind: 'cut',
			path,
			when: 'before',
			bodyContains: '919876510001',
		});
		await sandbox.failure(template, { items, runExecutionData });
		await sandbox.run(
			{ ...template, options: { resendUnknown: true } },
			{ items, runExecutionData },
		);
		expect(await acceptedCounts()).toEqual([1, 1, 1]);
	});

	test('an error in the JSON of the service is rejected and sent again by a retry', async () => {
		const runExecutionData = createRunExecutionData();
		const items = recipients(3);
		await sandbox.control.addFault({ kind: 'status', path, status: 500, body: { error: 'Oops' } });
		const error = await sandbox.failure(template, { items, runExecutionData });
		expect(error.context.data).toMatchObject({ outcome: 'rejected', statusCode: 500 });
		await sandbox.run(template, { items, runExecutionData });
		expect(await acceptedCounts()).toEqual([1, 1, 1]);
	});

	test('a failing upload leaves the message unsent', async () => {
		await sandbox.control.addFault({ kind: 'cut', path: '/chat/upload', when: 'after' });
		const binary = {
			data: { data: Buffer.from('x').toString('base64'), mimeType: 'image/png', fileName: 'a.png' },
		};
		const error = await sandbox.failure(
			{
				resource: 'chatMessage',
				operation: 'sendMedia',
				phone: '919876543210',
				mediaSource: 'binary',
			},
			{ items: [{ json: {}, binary }] },
		);
		expect(error.context.data).toMatchObject({ outcome: 'notSent' });
		expect(await sandbox.requests('/chat/send-media')).toEqual([]);
	});
});

test('a stopped execution starts no new send', async () => {
	const controller = new AbortController();
	await sandbox.control.addFault({ kind: 'latency', path, latencyMs: 100, count: 'infinite' });
	const running = sandbox.failure(template, { items: recipients(50), signal: controller.signal });
	while ((await sandbox.requests(path)).length < 5) await Promise.resolve();
	controller.abort();
	await running;
	await sandbox.control.clearFaults();
	expect((await sandbox.requests(path)).length).toBeLessThanOrEqual(10);
});

test('a record with a key error does not look like a failure', async () => {
	const body = { success: true, providerMessageId: 'pm1', error: 'only a warning' };
	await sandbox.control.addFault({ kind: 'status', path, status: 200, body });
	const [json] = await sandbox.json(template, { items: recipients(1) });
	expect(json).toEqual({ success: true, providerMessageId: 'pm1', serviceError: 'only a warning' });
});

test('two nodes in one execution do not share their memory', async () => {
	const runExecutionData = createRunExecutionData();
	const items = recipients(2);
	await sandbox.control.addFault({
		kind: 'status',
		path,
		status: 400,
		body: { error: 'No' },
		skip: 1,
	});
	await sandbox.failure(template, { items, runExecutionData });
	await sandbox.run(template, { items, runExecutionData, node: { id: '2', name: 'Another' } });
	expect(await acceptedCounts()).toEqual([2, 1]);
	expect(
		executeContext({
			credential: sandbox.credential(),
			parameters: template,
			runExecutionData,
		}).getContext('node'),
	).toHaveProperty('sends');
});

describe('a key', () => {
	const keyed: INodeParameters = { ...template, options: { idempotencyKey: '={{ $json.key }}' } };
	const withKeys = (...keys: Array<string | null | undefined>) =>
		recipients(keys.length).map(({ json }, index) => ({ json: { ...json, key: keys[index] } }));

	test('twice in one run is sent once', async () => {
		const [first, second] = await sandbox.json(keyed, { items: withKeys('a', 'a') });
		expect(first).toMatchObject({ success: true });
		expect(second).toEqual({ alreadySent: true, idempotencyKey: 'a' });
		expect(await sandbox.control.messages()).toHaveLength(1);
	});

	test('of two executions at the same moment is sent once', async () => {
		const items = withKeys(...Array.from({ length: 40 }, (_, index) => `key ${index}`));
		const both = await Promise.all([
			sandbox.json(keyed, { items }),
			sandbox.json(keyed, { items: [...items].reverse() }),
		]);
		expect(both.flat().filter(({ alreadySent }) => alreadySent)).toHaveLength(40);
		expect(await acceptedCounts()).toEqual(Array<number>(40).fill(1));
	});

	test.each([undefined, null, '', ' '])('that is %p is a mistake of the item', async (key) => {
		const error = await sandbox.failure(keyed, { items: withKeys('a', key) });
		expect(error.message).toBe('Send Only Once per Key is empty (item 2)');
		expect(await sandbox.requests(path)).toEqual([]);
	});
});
