import { randomUUID } from 'node:crypto';
import axios from 'axios';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	chain,
	messagingService,
	N8nHttpError,
	node,
	waitFor,
	type N8n,
	type NodeExtra,
	type WorkflowJson,
} from '../harness';
import { toRow, type Row } from './row';
import type { Stage } from './stage';

/** What one run of a workflow took. */
export interface FlowRun {
	/** Milliseconds from the call of the workflow's webhook to its answer. */
	ms: number;
	/** Milliseconds of that between the source and the report, where the nodes in question are. */
	nodesMs: number;
	/** Milliseconds of these that n8n's main thread was busy; what it waits for others does not count. */
	busyMs: number;
	/** Milliseconds of these before the first request left, where the node tells. */
	preparedMs: number;
	/** Bytes by which n8n's memory rose above what it was when the source was done. */
	memory: number;
	/** Items that reached the end. */
	items: number;
}

/** What the Report node answers. */
type Report = Omit<FlowRun, 'ms'> & { failed: number };

/** A workflow that can be run. */
export interface Flow {
	/** Runs it once, after n8n has settled; throws when items failed. */
	(): Promise<FlowRun>;
	/** Runs it at once. */
	unsettled(): Promise<FlowRun>;
	workflowId: string;
}

/** Publishes a workflow that makes items, puts them through `nodes` and answers with their number. */
export async function publishFlow(
	stage: Stage,
	source: INode,
	nodes: INode[],
	settings: IDataObject = {},
): Promise<Flow> {
	const path = randomUUID();
	const start = webhook({ path, responseMode: 'lastNode' });
	const report = node('Report', 'n8n-nodes-bench.benchReport');
	const all = [start, source, ...nodes, report];
	const workflowId = await publish(stage.n8n, chain(`Flow ${path}`, all, settings));
	const names = nodes.map(({ name }) => name).join(' ');
	const unsettled = async (): Promise<FlowRun> => {
		const begin = performance.now();
		const { status, data } = await stage.profiled(
			names || 'nothing',
			async () => await call<Report>(stage, path),
		);
		const ms = performance.now() - begin;
		if (status !== 200 || data.failed > 0) throw await whyFailed(stage, workflowId, names);
		return { ms, ...data };
	};
	const run = async () => {
		await settle(stage);
		return await unsettled();
	};
	return Object.assign(run, { unsettled, workflowId });
}

/** Milliseconds that nodes take beyond what n8n takes without them, round by round. */
export const nodesAlone = (runs: FlowRun[], base: FlowRun[]): number[] =>
	runs.map(({ nodesMs }, round) => nodesMs - (base[round]?.nodesMs ?? 0));

/** What is measured outside n8n, as if it were a run there. */
export const outsideN8n = (ms: number, memory = 0): FlowRun => ({
	ms,
	nodesMs: ms,
	busyMs: ms,
	preparedMs: ms,
	memory,
	items: 0,
});

async function whyFailed({ n8n }: Stage, workflowId: string, names: string): Promise<Error> {
	const [last] = await n8n.executions(workflowId);
	return new Error(`${names}: ${last?.error?.message ?? 'items failed'}`);
}

/** Lets n8n collect its garbage, so that no contender pays for the one before it. */
export async function settle(stage: Stage): Promise<void> {
	const { status } = await call(stage, stage.settlePath);
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
		const id = n8n.createWorkflow(workflow);
		return await id.then(async (saved) => (await n8n.publish(saved), saved)).catch(unlessGone);
	});
}

/** After it was blocked for seconds, n8n says for a while that its database is gone. */
const databaseGone = 503;

function unlessGone(error: unknown): undefined {
	if (!(error instanceof N8nHttpError && error.status === databaseGone)) throw error;
}

export const webhook = (parameters: { path: string; [name: string]: unknown }): INode =>
	node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ httpMethod: 'POST', options: {}, ...parameters } as INodeParameters,
		{ typeVersion: 2, webhookId: parameters.path },
	);

/**
 * Makes recipients: `phone`, `digits` (the same without plus), `name`, `time`, `key`.
 *
 * @param keys what the keys begin with, where they are the same in all executions
 */
export const makeItems = (count: number, keys = ''): INode =>
	node('Items', 'n8n-nodes-bench.benchItems', { count, keys });

/** The package's node as a user would set it. */
export const ours = (stage: Stage, parameters: INodeParameters, extra: NodeExtra = {}): INode =>
	messagingService(parameters, stage.credential, { name: 'Ours', ...extra });

export const helperName = "n8n's request helper";

/** n8n's helper and one parameter, and nothing else. */
export const helper = (stage: Stage, atOnce: number): INode =>
	benchNode(stage, 'benchHelper', { atOnce, phone: '={{ $json.digits }}' });

/** What no node can be faster than. */
export const besideHelper = (
	name: string,
	ownMs: number[],
	{ helper }: { helper: number[] },
): Row[] => [
	toRow({
		name: `${name}: beside ${helperName}`,
		unit: 'ms',
		ours: ownMs,
		peer: helper,
		peerName: helperName,
		target: 1.1,
	}),
];

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

/** A node of the bench's own that needs the credential. */
export const benchNode = (stage: Stage, type: string, parameters: INodeParameters = {}): INode =>
	node(type, `n8n-nodes-bench.${type}`, parameters, {
		credentials: { messagingServiceApi: stage.credential },
	});
