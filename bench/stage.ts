import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import axios from 'axios';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	chain,
	messagingService,
	node,
	rootFolder,
	startN8n,
	tempFolder,
	unless,
	waitFor,
	type N8n,
	type NodeExtra,
	type WorkflowJson,
} from '../harness';
import { startSandbox, type FaultInput } from '../sandbox';

/** Everything a measurement needs: one n8n, one sandbox, a credential. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

const settlePath = 'bench-settle';

/** Starts n8n with this package and the bench's own nodes in it. */
export async function openStage(isQuick: boolean) {
	// In memory where there is such a folder: a slow disk under n8n's database hides the nodes.
	const place = existsSync('/dev/shm') ? '/dev/shm' : tempFolder;
	mkdirSync(place, { recursive: true });
	const userFolder = mkdtempSync(path.join(place, 'n8n-bench-'));
	const target = path.join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-bench');
	cpSync(path.join(rootFolder, 'bench/nodes'), target, { recursive: true });
	const env = {
		NODE_OPTIONS: '--max-old-space-size=16384',
		// As in production with many executions: only failed ones are kept.
		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		// Otherwise n8n makes a sandbox for expressions at every call of a package's trigger.
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	};
	const [sandbox, n8n] = await Promise.all([
		startSandbox({ lifecycle: { enabled: false }, journal: 'summary' }),
		startN8n({ userFolder, env }),
	]);
	await sandbox.control.setAccount({ chatBalance: 1_000_000_000 });
	const credential = await n8n.createAccount(sandbox);
	// A quick run does without the collection that takes seconds.
	await publishSwitch(n8n, settlePath, bench('settle', { isThorough: !isQuick }));
	return {
		n8n,
		sandbox,
		credential,
		/** Rounds of each comparison. */
		rounds: isQuick ? 1 : 3,
		/** A number that depends on whether the run is quick. */
		sized: (full: number, quick: number) => (isQuick ? quick : full),
		close: async () => {
			await n8n.stop();
			await sandbox.close();
			rmSync(userFolder, { recursive: true, force: true });
		},
	};
}

/** What one run of a workflow took. */
export interface FlowRun {
	/** Milliseconds between the source and the report, where the nodes in question are. */
	nodesMs: number;
	/** Bytes by which n8n's memory rose above what it was when the source was done. */
	memory: number;
	/** Items that reached the end. */
	items: number;
}

/**
 * Publishes a workflow that makes items, puts them through nodes and answers with their number.
 *
 * @param expected how many items must come out, where that is known
 * @returns what runs it once, after n8n has settled, by `unsettled` at once, with settings of the items in
 * place of those it was published with; it throws when items failed or another number came out
 */
export async function publishFlow(
	stage: Stage,
	source: INode,
	work: INode | INode[] = [],
	{ expected, ...settings }: IDataObject & { expected?: number } = {},
) {
	const path = randomUUID();
	const works = [work].flat();
	const nodes = [source, ...works, bench('report')];
	const workflowId = await publishSwitch(stage.n8n, path, nodes, settings);
	const unsettled = async (other?: object): Promise<FlowRun> => {
		const { status, data } = await call<FlowRun & { failed: number }>(stage, path, other);
		const isGood = status === 200 && data.failed === 0 && data.items === (expected ?? data.items);
		if (isGood) return data;
		const [last] = await stage.n8n.executions(workflowId);
		const names = works.map(({ name }) => name).join(' ');
		throw new Error(`${names}: ${last?.error?.message ?? JSON.stringify(data)}`);
	};
	const run = async (other?: object) => {
		await settle(stage);
		return await unsettled(other);
	};
	return Object.assign(run, { unsettled, workflowId });
}

export const nodesMs = (runs: FlowRun[]): number[] => runs.map((run) => run.nodesMs);

/** Milliseconds that nodes take beyond what n8n takes without them, round by round. */
export const nodesAlone = (runs: FlowRun[], base: FlowRun[]): number[] =>
	runs.map((run, round) => run.nodesMs - (base[round]?.nodesMs ?? 0));

export const MiB = (runs: FlowRun[]): number[] => runs.map(({ memory }) => memory / 2 ** 20);

/** Lets n8n collect its garbage, so that no contender pays for the one before it. */
export async function settle(stage: Pick<Stage, 'n8n'>): Promise<void> {
	const { status } = await call(stage, settlePath);
	if (status !== 200) throw new Error(`n8n does not settle (${status})`);
}

/** Calls a webhook of n8n. */
export async function call<Answer>({ n8n }: Pick<Stage, 'n8n'>, path: string, body: object = {}) {
	const url = `${n8n.url}/webhook/${path}`;
	const options = { proxy: false, validateStatus: () => true } as const;
	return await waitFor('n8n to have its database', async () => {
		const answer = await axios.post<Answer>(url, body, options);
		return answer.status === databaseGone ? undefined : answer;
	});
}

/** Saves and publishes a workflow; gives its id. */
export async function publish(n8n: N8n, workflow: WorkflowJson): Promise<string> {
	return await waitFor('n8n to publish', async () => {
		return await n8n.createPublished(workflow).catch(unless(databaseGone));
	});
}

/** Publishes nodes that run when a webhook is called, and answer it; gives the workflow's id. */
export async function publishSwitch(
	n8n: N8n,
	path: string,
	nodes: INode | INode[],
	settings: IDataObject = {},
): Promise<string> {
	const all = [webhook(path, { responseMode: 'lastNode' })].concat(nodes);
	return await publish(n8n, chain(`Bench ${path}`, all, settings));
}

/** After it was blocked for seconds, n8n says for a while that its database is gone. */
const databaseGone = 503;

export const webhook = (path: string, parameters: INodeParameters, extra: NodeExtra = {}): INode =>
	node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ httpMethod: 'POST', options: {}, path, ...parameters },
		{ typeVersion: 2, webhookId: path, ...extra },
	);

/** A node of the bench's own: what it does, see bench/nodes/Bench.node.js. */
export const bench = (work: string, settings: IDataObject = {}, stage?: Stage): INode =>
	node(
		`Bench ${work}`,
		'n8n-nodes-bench.bench',
		{ work, settings: JSON.stringify(settings), phone: '={{ $json.digits }}' },
		stage && { credentials: { messagingServiceApi: stage.credential } },
	);

/**
 * Makes recipients: `phone`, `digits` (the same without plus), `name`, `time`, `key`.
 *
 * @param keys what the keys begin with, where they are the same in all executions
 */
export const makeItems = (count: number, keys?: string): INode => bench('items', { count, keys });

/** The package's node as a user would set it. */
export const ours = (stage: Stage, parameters: INodeParameters, extra: NodeExtra = {}): INode =>
	messagingService(parameters, stage.credential, { name: 'Ours', ...extra });

/** Sends a template message to each item. */
export const sendTemplate = (stage: Stage, options: INodeParameters = {}): INode =>
	ours(stage, {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '={{ $json.phone }}',
		templateName: 'order_update',
		options,
	});

export const helperName = "n8n's request helper";

/** Every request there is answered so, or late, until the faults are cleared. */
export async function always({ sandbox }: Stage, fault: FaultInput): Promise<void> {
	await sandbox.control.addFault({ ...fault, count: 'infinite' });
}

/** Parameters of the HTTP Request node that sends JSON. */
export const posting = (jsonBody: string): INodeParameters => ({
	method: 'POST',
	sendBody: true,
	specifyBody: 'json',
	jsonBody,
});

/**
 * The HTTP Request node with the key in a header field: with a credential it reads and decrypts it
 * for every item and takes far longer.
 */
export function httpRequest(stage: Stage, path: string, parameters: INodeParameters): INode {
	const key = { name: 'x-api-key', value: stage.sandbox.keys.production };
	return node(
		'HTTP Request',
		'n8n-nodes-base.httpRequest',
		{
			url: `${stage.sandbox.baseUrl}${path}`,
			sendHeaders: true,
			headerParameters: { parameters: [key] },
			...parameters,
		},
		{ typeVersion: 4.2 },
	);
}
