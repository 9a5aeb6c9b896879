import type { INode, INodeParameters } from 'n8n-workflow';
import { agentWorkflow, useScriptedModel } from '../support/ai/scriptedModel';
import { useSandbox } from '../support/e2e/sandbox';
import { template } from '../support/reliability/stage';
import {
	attachN8n,
	chain,
	connect,
	items,
	joined,
	loopOver,
	manualTrigger,
	messagingService,
	messagingServiceReview,
	messagingServiceTool,
	node,
	set,
	waitFor,
	type WorkflowJson,
} from '../../harness';

const n8n = attachN8n();
const { sandbox, credential } = useSandbox(() => n8n);

const chat: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendAndWait',
	phone: '447700900219',
	message: 'Ship it?',
};
const double = { approvalOptions: { values: { approvalType: 'double' } } };

beforeEach(async () => await sandbox.control.reset());

/** Addresses in the message, by label. */
type Links = Record<string, string>;

const startNew = async (name: string, workflow: Omit<WorkflowJson, 'name'>): Promise<string> =>
	await n8n.start(await n8n.createWorkflow({ name, ...workflow }));

/** Waits until so many questions were sent and the execution waits for the answer; returns the links of the last. */
async function linksOf(executionId: string, count: number): Promise<Links> {
	await waitFor(`question ${count}`, async () => (await bodies()).length === count);
	const { status, error } = await n8n.waitForExecution(executionId, 'waiting');
	expect([status, error]).toEqual(['waiting', undefined]);
	const { message = '' } = (await bodies()).at(-1) ?? {};
	const links = message.matchAll(/^(.+): (https?:\S+)$/gm);
	return Object.fromEntries([...links].map(([, label = '', url = '']) => [label, url]));
}

/** Of all messages. */
const bodies = async (): Promise<Array<Record<string, string>>> =>
	(await sandbox.control.journal({ kind: 'request', method: 'POST' })).map(
		({ body }) => body as Record<string, string>,
	);

/** Sends a form as a browser does from a sandboxed page. */
const post = async (url = '', fields: Record<string, string> = {}) =>
	await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			origin: 'null',
			// Otherwise the next file's first request may use a connection that n8n is about to close.
			connection: 'close',
		},
		body: new URLSearchParams(fields).toString(),
	});

const stillWaits = async (executionId: string) =>
	expect((await n8n.execution(executionId)).status).toBe('waiting');

/** A workflow that asks once for two items; behind it stands what came out, and for which of them. */
function asking(parameters: INodeParameters): WorkflowJson {
	const given = '={{ JSON.stringify({ given: $json, asked: $("Items").item.json.order }) }}';
	const ask = messagingService({ ...chat, ...parameters }, credential, { name: 'Ask' });
	// With what an earlier question may have left.
	const earlier = { answered: true, data: { approved: true } };
	const orders = items([1042, 1043].map((order) => ({ ...earlier, order })));
	return chain('Ask', [manualTrigger(), orders, ask, set('Then', given)]);
}

const expiring = { executionId: '', links: {} as Links };
beforeAll(async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };
	const workflow = asking({ options: { limitWaitTime: { values } } });
	expiring.executionId = await startNew('Expiring', workflow);
	expiring.links = await linksOf(expiring.executionId, 1);
});

test('a forged, missing or moved signature is refused', async () => {
	const executionId = await startNew('Asked', asking(double));
	const { Decline = '' } = await linksOf(executionId, 1);
	const other = await startNew('Asked as well', asking(double));
	const signature = new URL((await linksOf(other, 2)).Decline ?? '').searchParams.get('signature');
	const changes: Array<(query: URLSearchParams) => void> = [
		(query) => query.delete('signature'),
		(query) => query.set('signature', 'a'.repeat(64)),
		(query) => query.set('signature', signature ?? ''),
		(query) => query.set('approved', 'true'),
		(query) => query.append('more', '1'),
	];
	for (const change of changes) {
		const url = new URL(Decline);
		change(url.searchParams);
		expect((await post(url.toString())).status).toBe(401);
		expect((await fetch(url)).status).toBe(401);
	}
	await stillWaits(executionId);
	await stillWaits(other);
});

describe('with an AI agent', () => {
	const model = useScriptedModel(() => n8n);
	/** A call of a tool that a person reviews. */
	const reviewed = { toolParameters: {}, hitlParameters: {} };

	test('each of two calls at once has a question of its own', async () => {
		Object.assign(model, { calls: [reviewed, reviewed], atOnce: true });
		const getBalance = { resource: 'account', operation: 'getBalance' };
		const balance = messagingServiceTool(getBalance, credential, { name: 'Balance' });
		// With the message that n8n presets.
		const review = messagingServiceReview({ phone: chat.phone, ...double }, credential);
		const executionId = await startNew('Two calls', agentWorkflow(model, [balance, review]));
		const first = await linksOf(executionId, 1);
		await post(first.Approve);
		const second = await linksOf(executionId, 2);
		// A link of a question that is no longer open says so, and nothing happens.
		const { Approve = '' } = first;
		for (const response of [await fetch(Approve), await post(Approve, { text: 'Again' })]) {
			expect(response.status).toBe(409);
			expect(await response.text()).toContain('This question was answered');
		}
		await stillWaits(executionId);
		await post(second.Decline);
		expect((await n8n.waitForExecution(executionId)).error).toBeUndefined();
		const requests = await sandbox.control.journal({ kind: 'request', path: '/balance' });
		expect(requests).toHaveLength(1);
		model.atOnce = false;
	});

	// n8n asks for the first of several items only, and in a loop loses from which output they came.
	test('item by item, what is behind the agent finds the one that was reviewed', async () => {
		model.calls = [reviewed];
		const send = messagingServiceTool(template, credential, { name: 'Send' });
		const message = '=May {{ $json.name }} hear of it?';
		const review = messagingServiceReview({ ...double, phone: chat.phone, message }, credential);
		const whose = '{ of: $("Loop").first(1).json.name, output: $json.output }';
		const then = set('Then', `={{ JSON.stringify(${whose}) }}`);
		const loop = loopOver(1);
		const agent = agentWorkflow(model, [send, review], [], [then]);
		const people = [
			{ name: 'Anna', phone: '447700900210' },
			{ name: 'Ben', phone: '447700900211' },
		];
		const [start, input] = [manualTrigger(), items(people)];
		const executionId = await startNew('Reviewed item by item', {
			nodes: [start, input, loop, ...agent.nodes],
			connections: {
				...agent.connections,
				...joined(connect([start, input, loop]), connect([loop, 'Agent'], 1)),
				...connect([then, loop]),
			},
		});
		await post((await linksOf(executionId, 1)).Approve);
		// The second message is Anna's own.
		await post((await linksOf(executionId, 3)).Decline);
		const execution = await n8n.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		expect(execution.json('Then')).toEqual([
			{ of: 'Anna', output: expect.stringContaining('providerMessageId') as string },
			{ of: 'Ben', output: expect.stringContaining('User rejected') as string },
		]);
		const sent = (await bodies()).map((body) => body.templateName ?? body.message?.slice(0, 10));
		expect(sent).toEqual(['May Anna h', 'order_update', 'May Ben he']);
	});

	test('an agent before version 3, which cannot wait, is told so and asks nobody', async () => {
		model.calls = [{}];
		const { nodes, connections } = agentWorkflow(model, [messagingServiceTool(chat, credential)]);
		const older = nodes.map((one) => (one.name === 'Agent' ? { ...one, typeVersion: 2 } : one));
		const execution = await n8n.tryOut({ name: 'Older agent', nodes: older, connections });
		expect(execution.status).toBe('success');
		const said = JSON.stringify(execution.json('Agent'));
		expect(said).toContain('because the agent that calls it continues at once');
		expect(said).toContain('Use AI Agent version 3');
		expect(await bodies()).toEqual([]);
	});

	test('an MCP Server Trigger, which cannot wait, is told so and asks nobody', async () => {
		const path = crypto.randomUUID();
		const langchain = (name: string, type: string, parameters: INodeParameters): INode =>
			node(name, `@n8n/n8n-nodes-langchain.${type}`, parameters, { webhookId: path });
		const server = { ...langchain('Server', 'mcpTrigger', { path }), typeVersion: 2 };
		await n8n.createPublished({
			name: 'MCP server',
			nodes: [server, messagingServiceTool(chat, credential)],
			connections: { Tool: { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] } },
		});
		const client = langchain('Client', 'mcpClient', {
			...{ endpointUrl: `${n8n.url}/mcp/${path}`, inputMode: 'json', jsonInput: '{}', options: {} },
			tool: { __rl: true, mode: 'id', value: 'Tool' },
		});
		const execution = await n8n.tryOut(chain('MCP client', [manualTrigger(), client]));
		const said = JSON.stringify(execution.json('Client'));
		expect(said).toContain('because an MCP Server Trigger cannot wait');
		expect(await bodies()).toEqual([]);
	});

	test('the agent asks a person', async () => {
		model.calls = [{ question: 'Ship order 1042?' }];
		const message = "={{ $fromAI('question', '', 'string') }}";
		const tool = messagingServiceTool({ ...chat, ...double, message }, credential);
		const executionId = await startNew('Asking', agentWorkflow(model, [tool]));
		const links = await linksOf(executionId, 1);
		expect((await bodies())[0]?.message).toMatch(/^Ship order 1042\?/);
		await post(links.Decline);
		const execution = await n8n.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		expect(JSON.stringify(execution.json('Agent'))).toMatch(/approved[\\":]+false/);
	});
});

// Last: n8n's look comes meanwhile.
test('when the limit passes the workflow continues with the input items, marked as unanswered', async () => {
	const execution = await n8n.waitForExecution(expiring.executionId);
	expect(execution.status).toBe('success');
	expect(execution.json('Then')).toEqual(
		[1042, 1043].map((order) => ({ given: { answered: false, order }, asked: order })),
	);
	const late = await post(expiring.links.Approve);
	expect(await late.text()).toContain('No action required');
});
