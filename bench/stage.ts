import { cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import axios from 'axios';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	chain,
	databaseGone,
	messagingService,
	node,
	rootFolder,
	startN8n,
	tempFolder,
	waitFor,
	type CredentialRef,
	type N8n,
	type WorkflowJson,
} from '../harness';
import { startSandbox, type FaultInput, type Sandbox } from '../sandbox';

const settlePath = 'bench-settle';

/** No measurement takes longer; 20,000 sends in one execution take 135 s. */
const longestMs = 300_000;

/** Everything a measurement needs: one n8n, one sandbox, a credential, and what is made for them. */
export class Stage {
	private constructor(
		readonly n8n: N8n,
		readonly sandbox: Sandbox,
		readonly credential: CredentialRef,
		private readonly isQuick: boolean,
	) {}

	/** Starts n8n with this package and the bench's own nodes in it. */
	static async open(isQuick: boolean): Promise<Stage> {
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
		const stage = new Stage(n8n, sandbox, await n8n.createAccount(sandbox), isQuick);
		// A quick run does without the collection that takes seconds.
		await stage.publishSwitch(settlePath, bench('settle', { isThorough: !isQuick }));
		return stage;
	}

	async close(): Promise<void> {
		await this.n8n.stop();
		await this.sandbox.close();
	}

	/** A number that depends on whether the run is quick. */
	sized(full: number, quick: number): number {
		return this.isQuick ? quick : full;
	}

	/** Rounds of each comparison. */
	get rounds(): number {
		return this.sized(3, 1);
	}

	/**
	 * Publishes a workflow that makes items, puts them through nodes and answers with their number.
	 *
	 * @param expected how many items must come out, where that is known
	 * @returns what runs it once, after n8n has settled, by `unsettled` at once, with settings of the items
	 * in place of those it was published with; it throws when items failed or another number came out
	 */
	async publishFlow(source: INode, work: INode | INode[] = [], expected?: number) {
		const path = randomUUID();
		const works = [work].flat();
		const nodes = [source, ...works, bench('report')];
		const workflowId = await this.publishSwitch(path, nodes);
		const unsettled = async (other?: object): Promise<FlowRun> => {
			const { status, data } = await this.call<FlowRun & { failed: number }>(path, other);
			const isGood = status === 200 && data.failed === 0 && data.items === (expected ?? data.items);
			if (isGood) return data;
			const [last] = await this.n8n.executions(workflowId);
			const names = works.map(({ name }) => name).join(' ');
			throw new Error(`${names}: ${last?.error?.message ?? JSON.stringify(data)}`);
		};
		const run = async (other?: object) => {
			await this.settle();
			return await unsettled(other);
		};
		return Object.assign(run, { unsettled });
	}

	/** Lets n8n collect its garbage, so that no contender pays for the one before it. */
	async settle(): Promise<void> {
		const { status } = await this.call(settlePath);
		if (status !== 200) throw new Error(`n8n did not go idle (${status})`);
	}

	/** Calls a webhook of n8n. */
	async call<Data>(path: string, body: object = {}) {
		const url = `${this.n8n.url}/webhook/${path}`;
		const options = { proxy: false, validateStatus: () => true } as const;
		return await waitFor(
			'n8n to have its database',
			async () => {
				const response = await axios.post<Data>(url, body, options);
				return response.status === databaseGone ? undefined : response;
			},
			longestMs,
		);
	}

	/** Saves and publishes a workflow; returns its id. */
	async publish(workflow: WorkflowJson): Promise<string> {
		return await this.n8n.createPublished(workflow);
	}

	/** Publishes nodes that run when a webhook is called, and respond to it; returns the workflow's id. */
	async publishSwitch(path: string, nodes: INode | INode[]): Promise<string> {
		const all = [webhook(path, { responseMode: 'lastNode' })].concat(nodes);
		return await this.publish(chain(`Bench ${path}`, all));
	}

	/** Repeats a fault until the next measurement begins. */
	async always(fault: FaultInput): Promise<void> {
		await this.sandbox.control.addFault({ ...fault, count: 'infinite' });
	}

	/** The package's node as a user would set it. */
	ours(parameters: INodeParameters): INode {
		return messagingService(parameters, this.credential, { name: 'Ours' });
	}

	/** Sends a template message to each item. */
	sendTemplate(options: INodeParameters = {}): INode {
		return this.ours({
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '={{ $json.phone }}',
			templateName: 'order_update',
			options,
		});
	}

	/**
	 * The HTTP Request node that posts, with the key in a header field: with a credential it reads and
	 * decrypts it for every item and takes far longer.
	 */
	httpRequest(path: string, body: INodeParameters, options: INodeParameters = {}): INode {
		const url = `${this.sandbox.baseUrl}${path}`;
		const key = { name: 'x-api-key', value: this.sandbox.keys.production };
		const headers = { sendHeaders: true, headerParameters: { parameters: [key] } };
		const parameters = { method: 'POST', url, ...headers, sendBody: true, ...body, options };
		return node('HTTP Request', 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4.2 });
	}

	/** The same, which sends JSON. */
	posting(path: string, jsonBody: string, options?: INodeParameters): INode {
		return this.httpRequest(path, { specifyBody: 'json', jsonBody }, options);
	}
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

export const time = { unit: 'ms', of: ({ nodesMs }: FlowRun) => nodesMs };

export const memory = { unit: 'MiB', of: (run: FlowRun) => run.memory / 2 ** 20 };

/** Runs with the time that they took beyond what n8n takes without the nodes, round by round. */
export const beyond = (runs: FlowRun[], base: FlowRun[]): FlowRun[] =>
	runs.map((run, round) => ({ ...run, nodesMs: run.nodesMs - (base[round]?.nodesMs ?? 0) }));

export const webhook = (path: string, parameters: INodeParameters): INode =>
	node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ httpMethod: 'POST', options: {}, path, ...parameters },
		{ typeVersion: 2, webhookId: path },
	);

/** A node of the bench's own: what it does, see bench/nodes/Bench.node.js. */
export const bench = (work: string, settings: IDataObject = {}): INode =>
	node(`Bench ${work}`, 'n8n-nodes-bench.bench', { work, settings: JSON.stringify(settings) });

/** Makes recipients: `phone`, `name`, `time`, `key`. */
export const makeItems = (count: number): INode => bench('items', { count });
