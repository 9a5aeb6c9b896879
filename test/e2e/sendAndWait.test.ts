import type { INodeParameters } from 'n8n-workflow';
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
} from '../../harness';

const n8n = attachN8n();
const { sandbox, credential } = useSandbox(() => n8n, { lifecycle: { enabled: false } });

const chat: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendAndWait',
	phone: '447700900210',
	message: '={{ $json.question }}',
};
const double = { approvalOptions: { values: { approvalType: 'double' } } };
const questions = [{ question: 'Ship order 1042?' }, { question: 'And 1043?' }];

let expiring: Waiting;

beforeAll(async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };
	expiring = await ask({ options: { limitWaitTime: { values } } });
});

beforeEach(async () => {
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
});

interface Waiting {
	executionId: string;
	/** Addresses in the message, by label. */
	links: Record<string, string>;
}

/** Runs a workflow until it waits for the answer; behind it stands what was given, and for which input item. */
async function ask(parameters: INodeParameters): Promise<Waiting> {
	const given = '={{ JSON.stringify({ given: $json, asked: $("Items").item.json.question }) }}';
	const workflow = chain('Ask', [
		manualTrigger(),
		items(questions),
		messagingService({ ...chat, ...parameters }, credential, { name: 'Ask' }),
		set('Then', given),
	]);
	const executionId = await n8n.start(await n8n.createWorkflow(workflow));
	return { executionId, links: await lastLinks(executionId) };
}

async function untilWaiting(executionId: string): Promise<void> {
	const { status, error } = await n8n.waitForExecution(executionId, 'waiting');
	expect([status, error]).toEqual(['waiting', undefined]);
}

/** The links of the last question, once it waits for the answer. */
async function lastLinks(executionId: string): Promise<Record<string, string>> {
	await untilWaiting(executionId);
	return linksIn((await bodies()).at(-1));
}

const bodies = async (): Promise<Array<Record<string, string>>> =>
	(await sandbox.control.journal({ kind: 'request', method: 'POST' })).map(
		({ body }) => body as Record<string, string>,
	);

const linksIn = ({ message, text }: Record<string, string> = {}): Record<string, string> =>
	Object.fromEntries(
		[...(message ?? text ?? '').matchAll(/^(.+): (https?:\S+)$/gm)].map(
			([, label = '', url = '']) => [label, url],
		),
	);

/** Sends a form as a browser does from a sandboxed page. */
const post = async (url = '', fields: Record<string, string> = {}) =>
	await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			origin: 'null',
			// Else the next file's first request may take a connection that n8n is about to close.
			connection: 'close',
		},
		body: new URLSearchParams(fields).toString(),
	});

const stillWaits = async (executionId: string) =>
	expect((await n8n.execution(executionId)).status).toBe('waiting');

test('a forged, missing or moved signature is refused', async () => {
	const waiting = await ask(double);
	const other = await ask(double);
	const forged = (change: (url: URL) => void) => {
		const url = new URL(waiting.links.Decline ?? '');
		change(url);
		return url.toString();
	};
	const signature = (url = '') => new URL(url).searchParams.get('signature') ?? '';
	const cases = [
		forged(({ searchParams }) => searchParams.delete('signature')),
		forged(({ searchParams }) => searchParams.set('signature', 'a'.repeat(64))),
		forged(({ searchParams }) => searchParams.set('approved', 'true')),
		forged(({ searchParams }) => searchParams.set('signature', signature(other.links.Decline))),
		forged(({ searchParams }) => searchParams.append('more', '1')),
	];
	for (const url of cases) {
		expect((await post(url)).status).toBe(401);
		expect((await fetch(url)).status).toBe(401);
	}
	await stillWaits(waiting.executionId);
	await stillWaits(other.executionId);
});

/** Waits for a question that was not there before, and gives its links. */
async function nextQuestion(executionId: string, number: number): Promise<Record<string, string>> {
	await waitFor(`question ${number}`, async () => (await bodies()).length === number);
	return await lastLinks(executionId);
}

/** A link of a question that is no longer open says so, and nothing happens. */
async function expectAnswered(executionId: string, url = ''): Promise<void> {
	for (const response of [await fetch(url), await post(url, { text: 'Again' })]) {
		expect(response.status).toBe(409);
		expect(await response.text()).toContain('This question was answered');
	}
	await stillWaits(executionId);
}

describe('with an AI agent', () => {
	const model = useScriptedModel(() => n8n);
	/** A call of a tool that a person reviews. */
	const reviewed = { toolParameters: {}, hitlParameters: {} };

	test('each of two calls at once has a question of its own', async () => {
		Object.assign(model, { calls: [reviewed, reviewed], atOnce: true });
		try {
			const getBalance = { resource: 'account', operation: 'getBalance' };
			const balance = messagingServiceTool(getBalance, credential, { name: 'Balance' });
			const asked = { phone: chat.phone, message: 'May it?', ...double };
			const review = messagingServiceReview(asked, credential);
			const workflow = { name: 'Two calls', ...agentWorkflow(model, [balance, review]) };
			const executionId = await n8n.start(await n8n.createWorkflow(workflow));
			const first = await nextQuestion(executionId, 1);
			await post(first.Approve);
			const second = await nextQuestion(executionId, 2);
			await expectAnswered(executionId, first.Approve);
			await post(second.Decline);
			const execution = await n8n.waitForExecution(executionId);
			expect(execution.error).toBeUndefined();
			const requests = await sandbox.control.journal({ kind: 'request', path: '/balance' });
			expect(requests).toHaveLength(1);
		} finally {
			model.atOnce = false;
		}
	});

	// n8n asks for the first of several items only, and in a loop loses from which output they came.
	test('item by item, what is behind the agent finds the one that was reviewed', async () => {
		model.calls = [reviewed];
		const people = [
			{ name: 'Anna', phone: '447700900210' },
			{ name: 'Ben', phone: '447700900211' },
		];
		const send = messagingServiceTool(template, credential, { name: 'Send' });
		const message = '=May {{ $json.name }} hear of it?';
		const review = messagingServiceReview(
			{ phone: '447700900219', message, ...double },
			credential,
		);
		const then = set(
			'Then',
			'={{ JSON.stringify({ of: $("Loop").first(1).json.name, output: $json.output }) }}',
		);
		const loop = loopOver(1);
		const agent = agentWorkflow(model, [send, review], [], [then]);
		const [start, input] = [manualTrigger(), items(people)];
		const executionId = await n8n.start(
			await n8n.createWorkflow({
				name: 'Reviewed item by item',
				nodes: [start, input, loop, ...agent.nodes],
				connections: {
					...agent.connections,
					...joined(connect([start, input, loop]), connect([loop, 'Agent'], 1)),
					...connect([then, loop]),
				},
			}),
		);
		const answers = { Anna: 'Approve', Ben: 'Decline' };
		for (const [name, label] of Object.entries(answers)) {
			const question = await waitFor(`the question for ${name}`, async () =>
				(await bodies()).find(({ message }) => message?.startsWith(`May ${name} hear`)),
			);
			await untilWaiting(executionId);
			await post(linksIn(question)[label]);
		}
		const execution = await n8n.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		expect(execution.json('Then')).toEqual([
			{ of: 'Anna', output: expect.stringContaining('providerMessageId') as string },
			{ of: 'Ben', output: expect.stringContaining('User rejected') as string },
		]);
		const sent = (await bodies()).filter(({ templateName }) => templateName);
		expect(sent.map(({ phone }) => phone)).toEqual(['447700900210']);
	});

	test('an agent before version 3, which cannot wait, is told so and asks nobody', async () => {
		model.calls = [{}];
		const asking = messagingServiceTool({ ...chat, message: 'Ship it?' }, credential);
		const { nodes, connections } = agentWorkflow(model, [asking]);
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
		const asking = messagingServiceTool({ ...chat, message: 'Ship it?' }, credential);
		const trigger = '@n8n/n8n-nodes-langchain.mcpTrigger';
		const server = node('Server', trigger, { path }, { typeVersion: 2, webhookId: path });
		await n8n.createPublished({
			name: 'MCP server',
			nodes: [server, asking],
			connections: { Tool: { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] } },
		});
		const client = node('Client', '@n8n/n8n-nodes-langchain.mcpClient', {
			endpointUrl: `${n8n.url}/mcp/${path}`,
			tool: { __rl: true, mode: 'id', value: 'Tool' },
			inputMode: 'json',
			jsonInput: '{}',
			options: {},
		});
		const execution = await n8n.tryOut(chain('MCP client', [manualTrigger(), client]));
		const said = JSON.stringify(execution.json('Client'));
		expect(said).toContain('because an MCP Server Trigger cannot wait');
		expect(await bodies()).toEqual([]);
	});

	test('the agent asks a person', async () => {
		model.calls = [{ question: 'Ship it?' }];
		const message = "={{ $fromAI('question', '', 'string') }}";
		const asking = messagingServiceTool({ ...chat, ...double, message }, credential);
		const workflow = { name: 'Asking', ...agentWorkflow(model, [asking]) };
		const executionId = await n8n.start(await n8n.createWorkflow(workflow));
		const links = await lastLinks(executionId);
		expect((await bodies())[0]?.message).toMatch(/^Ship it\?/);
		await post(links.Decline);
		const execution = await n8n.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		expect(JSON.stringify(execution.json('Agent'))).toMatch(/approved[\\":]+false/);
	});
});

// Last: n8n's look comes meanwhile.
test('when the limit passes the workflow continues with the input items', async () => {
	const execution = await n8n.waitForExecution(expiring.executionId);
	expect(execution.status).toBe('success');
	expect(execution.json('Then')).toEqual(
		questions.map((given) => ({ given, asked: given.question })),
	);
	const late = await post(expiring.links.Approve);
	expect(await late.text()).toContain('No action required');
});
