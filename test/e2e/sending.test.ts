import type { INode } from 'n8n-workflow';
import { startSandbox, type Sandbox, type FaultInput } from '../../sandbox';
import {
	attachN8n,
	code,
	connect,
	joined,
	manualTrigger,
	messagingService,
	node,
	noOp,
	waitFor,
	type CredentialRef,
	type Execution,
	type NodeExtra,
} from '../../harness';
import { writeTable } from '../../harness/docs';
import { tally, tallyTable, type Tally } from '../../harness/tally';

const n8n = attachN8n();
let sandbox: Sandbox;
let credential: CredentialRef;
let peerCredential: CredentialRef;

const path = '/chat/send-template';
const sender = 'Send';
const timeout = 2_000;
const rows: Array<{ fault: string; node: string; tally: Tally }> = [];

beforeAll(async () => {
	sandbox = await startSandbox();
	credential = await n8n.createCredential('Sending', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
	peerCredential = await n8n.createCredential(
		'Sending with HTTP Request',
		{ name: 'x-api-key', value: sandbox.keys.production },
		'httpHeaderAuth',
	);
});

beforeEach(async () => {
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
});

afterAll(async () => {
	const table = tallyTable(rows);
	console.log(table);
	writeTable('faults', table);
	await sandbox.close();
});

const recipients = (count: number) =>
	Array.from({ length: count }, (_, index) => String(919_876_500_000 + index));

const ours = (extra: NodeExtra): INode =>
	messagingService(
		{
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '={{ $json.phone }}',
			templateName: 'order_update',
			options: { timeout },
		},
		credential,
		{ name: sender, ...extra },
	);

/** n8n's own HTTP Request node with the same request and its default settings. */
const peer = (extra: NodeExtra): INode =>
	node(
		sender,
		'n8n-nodes-base.httpRequest',
		{
			method: 'POST',
			url: `${sandbox.baseUrl}${path}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			sendBody: true,
			specifyBody: 'json',
			jsonBody:
				'={{ JSON.stringify({ phone: $json.phone, templateName: "order_update", language: "en" }) }}',
			options: { timeout },
		},
		{ typeVersion: 4.2, credentials: { httpHeaderAuth: peerCredential }, ...extra },
	);

const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

async function createWorkflow(send: INode, count: number): Promise<string> {
	const first = Number(recipients(1)[0]);
	const make = code(
		`return Array.from({ length: ${count} }, (_, i) => ({ json: { phone: String(${first} + i) } }));`,
		'Recipients',
	);
	const start = manualTrigger();
	return await n8n.createWorkflow({
		name: `Sending ${count}`,
		nodes: [start, make, send, noOp('Failed')],
		connections: joined(connect([start, make, send]), connect([send, 'Failed'], 1)),
	});
}

const accepted = async () => (await sandbox.control.messages()).map(({ to }) => to);

const fault = (settings: FaultInput) => async () => {
	await sandbox.control.addFault(settings);
};

interface Case {
	fault: string;
	count: number;
	extra: NodeExtra;
	prepare: () => Promise<void>;
	/** What the user does; one run if absent. */
	act?: (workflowId: string) => Promise<Execution>;
	expected: Partial<Tally>;
	/** What n8n must say of our node. */
	check?: (execution: Execution) => void;
}

const rejectedAt20 = fault({
	kind: 'status',
	path,
	status: 500,
	body: { error: 'Out of order' },
	skip: 20,
});
const errorsOf = (execution: Execution) =>
	[...execution.json(sender, 0), ...execution.json(sender, 1)].filter(
		({ error }) => error !== undefined,
	);

const unknown = (execution: Execution) => {
	expect(execution.error?.description).toContain(
		'It may have been carried out and is not repeated',
	);
};

const cases: Case[] = [
	{
		fault: 'rejected in the middle, Retry On Fail',
		count: 50,
		extra: retrying,
		prepare: rejectedAt20,
		expected: { arrivedOnce: 50 },
		check: (execution) => {
			expect(execution.status).toBe('success');
			expect(execution.output(sender)).toHaveLength(50);
		},
	},
	{
		fault: 'rejected in the middle, continue on fail',
		count: 50,
		extra: { onError: 'continueRegularOutput' },
		prepare: rejectedAt20,
		expected: { arrivedOnce: 49, notArrived: 1 },
		check: (execution) => expect(errorsOf(execution)).toHaveLength(1),
	},
	{
		fault: 'rejected in the middle, error output',
		count: 50,
		extra: { onError: 'continueErrorOutput' },
		prepare: rejectedAt20,
		expected: { arrivedOnce: 49, notArrived: 1 },
		check: (execution) => {
			expect(execution.output(sender, 0)).toHaveLength(49);
			expect(execution.json(sender, 1)).toEqual([
				expect.objectContaining({ error: 'Out of order' }),
			]);
		},
	},
	{
		fault: 'connection cut after processing, Retry On Fail',
		count: 50,
		extra: retrying,
		prepare: fault({ kind: 'cut', path, when: 'after', skip: 20 }),
		expected: {},
		check: unknown,
	},
	{
		fault: 'connection cut after processing, continue on fail',
		count: 50,
		extra: { onError: 'continueRegularOutput', ...retrying },
		prepare: fault({ kind: 'cut', path, when: 'after', skip: 20 }),
		expected: { arrivedOnce: 50 },
		check: (execution) => {
			expect(errorsOf(execution)).toEqual([
				expect.objectContaining({
					details: expect.objectContaining({ outcome: 'unknown' }) as unknown,
				}),
			]);
		},
	},
	{
		fault: 'no answer until the timeout, Retry On Fail',
		count: 50,
		extra: retrying,
		prepare: fault({ kind: 'silence', path, when: 'after', skip: 20 }),
		expected: {},
		check: unknown,
	},
	{
		fault: '502 with HTML after processing, Retry On Fail',
		count: 50,
		extra: retrying,
		prepare: fault({ kind: 'html', path, status: 502, when: 'after', skip: 20 }),
		expected: {},
		check: unknown,
	},
	{
		fault: 'rejected in the middle, retried from the executions list',
		count: 50,
		extra: {},
		prepare: rejectedAt20,
		act: async (id) => {
			const failed = await n8n.run(id);
			expect(failed.status).toBe('error');
			return await n8n.retry(failed.id);
		},
		expected: { arrivedOnce: 50 },
		check: (execution) => {
			expect(execution.status).toBe('success');
			expect(execution.output(sender)).toHaveLength(50);
		},
	},
	{
		fault: 'a typing mistake in the last item',
		count: 50,
		extra: {},
		prepare: async () => {},
		act: async (id) => {
			const { nodes } = await n8n.getWorkflow(id);
			const changed = nodes.map((entry) =>
				entry.name === 'Recipients'
					? {
							...entry,
							parameters: {
								jsCode: `${String(entry.parameters.jsCode).replace('return ', 'const items = ').replace(/;$/, '')};\nitems[49].json.phone = '0170';\nreturn items;`,
							},
						}
					: entry,
			);
			await n8n.updateWorkflow(id, { nodes: changed });
			return await n8n.run(id);
		},
		expected: { notArrived: 50 },
	},
];

describe.each(cases)('$fault', ({ fault: name, count, extra, prepare, act, expected, check }) => {
	const runCase = async (send: INode): Promise<{ execution: Execution; result: Tally }> => {
		await prepare();
		const id = await createWorkflow(send, count);
		const execution = await (act ? act(id) : n8n.run(id));
		return { execution, result: tally(recipients(count), await accepted(), execution, sender) };
	};

	test('nothing arrives twice and nothing is unreported', async () => {
		const { execution, result } = await runCase(ours(extra));
		rows.push({ fault: name, node: 'Messaging Service', tally: result });
		check?.(execution);
		expect(result).toMatchObject({ arrivedTwice: 0, unreported: 0, ...expected });
		const { chatBalance } = await sandbox.control.account();
		expect(chatBalance).toBe(100_000 - (await accepted()).length);
	});

	// For the document alone: what another node does says nothing about this one.
	if (process.env.UPDATE_DOCS === '1') {
		test('the HTTP Request node for comparison', async () => {
			const { result } = await runCase(peer(extra));
			rows.push({ fault: name, node: 'HTTP Request', tally: result });
			expect(result.arrivedOnce + result.arrivedTwice + result.notArrived).toBe(count);
		});
	}
});

test('after an unknown outcome a retry repeats nothing and fails with the same message', async () => {
	await sandbox.control.addFault({ kind: 'cut', path, when: 'after', skip: 20 });
	const id = await createWorkflow(ours({}), 50);
	const failed = await n8n.run(id);
	const before = (await accepted()).length;
	const retried = await n8n.retry(failed.id);
	expect(retried.error?.message).toBe(failed.error?.message);
	expect(await accepted()).toHaveLength(before);
});

test('a stopped execution starts no new send', async () => {
	const count = 200;
	await sandbox.control.addFault({ kind: 'latency', path, latencyMs: 500, count: 'infinite' });
	const id = await createWorkflow(ours({}), count);
	const executionId = await n8n.start(id);
	const arrived = async () => (await sandbox.control.journal({ kind: 'request', path })).length;
	await waitFor('some sends', async () => ((await arrived()) >= 10 ? true : undefined));
	const stopped = await n8n.stopExecution(executionId);
	expect(stopped.status).toBe('canceled');
	const then = await arrived();
	expect(then).toBeLessThan(count);
	// Longer than a send takes: whatever else were sent would have arrived when it is over.
	expect((await n8n.run(await createWorkflow(ours({}), 1))).status).toBe('success');
	expect(await arrived()).toBe(then + 1);
});

test('a loop sends afresh in each round', async () => {
	const start = manualTrigger();
	const make = code(
		`return [1, 2, 3].map(() => ({ json: { phone: '919876543210' } }));`,
		'Recipients',
	);
	const loop = node(
		'Loop',
		'n8n-nodes-base.splitInBatches',
		{ batchSize: 1, options: {} },
		{ typeVersion: 3 },
	);
	const send = ours({});
	const id = await n8n.createWorkflow({
		name: 'Loop',
		nodes: [start, make, loop, send],
		connections: joined(
			connect([start, make, loop]),
			connect([loop, send], 1),
			connect([send, loop]),
		),
	});
	const execution = await n8n.run(id);
	expect(execution.status).toBe('success');
	expect(execution.runs(sender)).toHaveLength(3);
	expect(await accepted()).toEqual(Array<string>(3).fill('919876543210'));
});

test('10,000 items never hold more than five connections', async () => {
	await sandbox.control.setJournal('summary');
	await sandbox.control.resetStats();
	const id = await createWorkflow(ours({}), 10_000);
	const execution = await n8n.run(id, { timeoutMs: 170_000 });
	const result = tally(recipients(10_000), await accepted(), execution, sender);
	rows.push({ fault: '10,000 items, no fault', node: 'Messaging Service', tally: result });
	expect(result).toMatchObject({ arrivedOnce: 10_000, unreported: 0 });
	const { peakConcurrentRequests } = await sandbox.control.stats();
	expect(peakConcurrentRequests).toBeLessThanOrEqual(5);
});
