import path from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import {
	chain,
	code,
	Command,
	connect,
	Execution,
	freePort,
	joined,
	manualTrigger,
	messagingService,
	messagingServicePollingTrigger,
	messagingServiceTool,
	node,
	rootFolder,
	set,
	startN8n,
	waitFor,
	type N8n,
} from '../../harness';
import { environment, hostN8n, hostNode } from '../../harness/environment';
import { pollTimes } from '../support/e2e/polls';
import { useSandbox } from '../support/e2e/sandbox';
import { template } from '../support/reliability/stage';
import { webhookCall } from '../support/webhookCall';

// Which mode counts as production is tested in test/unit/running/production.test.ts. Here is what only n8n shows: what a
// node sees of whoever started it.

let n8n: N8n;
beforeAll(async () => {
	const env = {
		EXTERNAL_HOOK_FILES: path.join(rootFolder, 'test/support/e2e/assistant.js'),
		N8N_DISABLED_MODULES: 'mcp-registry',
	};
	n8n = await startN8n({ env });
});
afterAll(async () => await n8n?.stop());

const { sandbox, credential } = useSandbox(() => n8n);
beforeEach(async () => await sandbox.control.reset());

const parameters: INodeParameters = {
	...template,
	phone: '447700900210',
	options: { simulate: 'notInProduction' },
};
const send = () => messagingService(parameters, credential, { name: 'Send' });

/** Whether a run has sent its message; the service says so, too. */
async function fateOf(execution: Execution, arrived: number) {
	expect(execution.error).toBeUndefined();
	const [{ simulated = false } = {}] = execution.json('Send');
	expect(await sandbox.control.messages()).toHaveLength(arrived);
	return simulated === true ? 'simulated' : 'sent';
}

/** Runs a workflow as n8n's AI Assistant does. */
async function assist(id: string): Promise<Execution> {
	const response = await fetch(`${n8n.url}/assistant/${id}`, { method: 'POST' });
	const text = await response.text();
	if (!response.ok) throw new Error(text);
	const { executionId } = JSON.parse(text) as { executionId: string };
	return await n8n.execution(executionId);
}

const base = (type: string, typeVersion: number, given: INodeParameters = {}): INode =>
	node('Trigger', type, given, { typeVersion, webhookId: crypto.randomUUID() });

/** Nodes that start a workflow, and the modes in which the assistant runs it. */
const starts: Array<[string, () => INode]> = [
	['webhook', () => webhookCall().node],
	['trigger', () => base('n8n-nodes-base.scheduleTrigger', 1.2, { rule: { interval: [{}] } })],
	['chat', () => base('@n8n/n8n-nodes-langchain.chatTrigger', 1.1, { public: true })],
];

test.each(starts)('what n8n’s AI Assistant runs in mode %s is simulated', async (mode, start) => {
	const id = await n8n.createWorkflow(chain(`Assistant ${mode}`, [start(), send()]));
	const draft = await assist(id);
	expect(draft.mode).toBe(mode);
	expect(await fateOf(draft, 0)).toBe('simulated');
	await n8n.publish(id);
	expect(await fateOf(await assist(id), 0)).toBe('simulated');
	await n8n.unpublish(id);
});

const failing = code('throw new Error("Not yet");', 'Before');
const mended = code('return $input.all();', 'Before');

/** Mends the node that has failed, and presses Retry with the currently saved workflow. */
async function retryMended(id: string, failed: Execution): Promise<Execution> {
	expect(failed.status).toBe('error');
	const { nodes } = await n8n.getWorkflow(id);
	await n8n.updateWorkflow(id, {
		nodes: nodes.map((one) => (one.name === mended.name ? mended : one)),
	});
	return await n8n.retry(failed.id, true);
}

test('a Retry goes on as the first attempt began, which did not reach the node', async () => {
	const { node: call, send: start } = webhookCall();
	const id = await n8n.createWorkflow(chain('Retried', [call, failing, send()]));
	expect(await fateOf(await retryMended(id, await assist(id)), 0)).toBe('simulated');

	const { nodes } = await n8n.getWorkflow(id);
	await n8n.updateWorkflow(id, {
		nodes: nodes.map((one) => (one.name === failing.name ? failing : one)),
	});
	await n8n.publish(id);
	await start(n8n.url);
	const failed = await n8n.waitForExecution(await n8n.newestExecution(id));
	expect(await fateOf(await retryMended(id, failed), 1)).toBe('sent');
	await n8n.unpublish(id);
});

test('after a wait, a run is what it was before', async () => {
	const { node: call, send: start } = webhookCall();
	const waiting = node(
		'Wait',
		'n8n-nodes-base.wait',
		{ resume: 'webhook', options: {} },
		{
			typeVersion: 1.1,
			webhookId: crypto.randomUUID(),
		},
	);
	const url = set('URL', '={{ JSON.stringify({ url: $execution.resumeUrl }) }}');
	const id = await n8n.createPublished(chain('Waiting', [call, url, waiting, send()]));
	const resume = async () => {
		const executionId = await n8n.newestExecution(id);
		const [{ url: address } = {}] = (await n8n.waitForExecution(executionId, 'waiting')).json(
			'URL',
		);
		expect((await fetch(String(address))).status).toBe(200);
		return await n8n.waitForExecution(executionId);
	};
	void assist(id).catch(() => {});
	await waitFor(
		'the assistant to run it',
		async () => (await n8n.countExecutions(id, 'waiting')) > 0,
	);
	expect(await fateOf(await resume(), 0)).toBe('simulated');
	await start(n8n.url);
	expect(await fateOf(await resume(), 1)).toBe('sent');
	await n8n.unpublish(id);
});

test('a published error workflow sends', async () => {
	const error = node('Error', 'n8n-nodes-base.errorTrigger');
	const errorWorkflow = await n8n.createPublished(chain('On error', [error, send()]));
	const { node: call, send: start } = webhookCall();
	const failingOne = { ...chain('Fails', [call, failing]), settings: { errorWorkflow } };
	const id = await n8n.createPublished(failingOne);
	await start(n8n.url);
	const [execution] = await n8n.waitForExecutions(errorWorkflow, 1);
	expect(execution?.mode).toBe('error');
	expect(execution && (await fateOf(execution, 1))).toBe('sent');
	for (const one of [id, errorWorkflow]) await n8n.unpublish(one);
});

test('a published polling trigger sends', async () => {
	const watching = { watch: 'balance', warningThreshold: 50, criticalThreshold: 0, pollTimes };
	await sandbox.control.setAccount({ chatBalance: 100 });
	const trigger = messagingServicePollingTrigger(watching, credential);
	const id = await n8n.createPublished(chain('Polling', [trigger, send()]));
	await sandbox.control.setAccount({ chatBalance: 40 });
	const [execution] = await n8n.waitForExecutions(id, 1);
	expect(execution && (await fateOf(execution, 1))).toBe('sent');
	await n8n.unpublish(id);
});

test('the tool of a published MCP Server Trigger sends', async () => {
	const webhookPath = crypto.randomUUID();
	const langchain = (name: string, type: string, given: INodeParameters): INode =>
		node(name, `@n8n/n8n-nodes-langchain.${type}`, given, { webhookId: webhookPath });
	const server = { ...langchain('Server', 'mcpTrigger', { path: webhookPath }), typeVersion: 2 };
	const id = await n8n.createPublished({
		name: 'MCP server',
		nodes: [server, messagingServiceTool(parameters, credential)],
		connections: { Tool: { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] } },
	});
	const client = langchain('Client', 'mcpClient', {
		...{ endpointUrl: `${n8n.url}/mcp/${webhookPath}`, inputMode: 'json', jsonInput: '{}' },
		...{ options: {}, tool: { __rl: true, mode: 'id', value: 'Tool' } },
	});
	const execution = await n8n.tryOut(chain('MCP client', [manualTrigger(), client]));
	expect(JSON.stringify(execution.json('Client'))).toContain('providerMessageId');
	expect(await sandbox.control.messages()).toHaveLength(1);
	await n8n.unpublish(id);
});

test('n8n execute sends only if the workflow is published', async () => {
	const { node: call } = webhookCall();
	const nodes = [manualTrigger(), call, send()];
	const connections = joined(connect([manualTrigger(), send()]), connect([call, send()]));
	const id = await n8n.createWorkflow({ name: 'Command', nodes, connections });
	const execute = async () => {
		const { folder } = n8n.process;
		const [port, brokerPort] = [await freePort(), await freePort()];
		const env = environment({ folder, port, brokerPort });
		const command = new Command([hostN8n, 'execute', `--id=${id}`, '--rawOutput'], {
			program: hostNode,
			// In Jest's own environment, n8n does nothing.
			env: { ...env, NODE_ENV: 'production' },
		});
		// It ends with 1 if a node fails.
		expect(await command.end()).toBe(0);
		const { length } = await sandbox.control.messages();
		return [length, command.stdout.includes('"simulated": true')];
	};
	expect(await execute()).toEqual([0, true]);
	await n8n.publish(id);
	expect(await execute()).toEqual([1, false]);
	await n8n.unpublish(id);
});
