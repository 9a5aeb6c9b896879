import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	attachN8n,
	code,
	connect,
	joined,
	manualTrigger,
	messagingService,
	node,
	waitFor,
	type CredentialRef,
	type N8nApi,
	type NodeExtra,
	type WorkflowJson,
} from '../../../harness';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { webhookCall } from '../webhookCall';
import { sender, type Arrival } from './ledger';

/** Milliseconds; no response takes as long, even on a busy machine. */
const timeout = 30_000;

/** What a row changes about the node that sends. */
export interface SendSettings {
	/** Retry On Fail, On Error, … */
	extra?: NodeExtra;
	/** An expression for the template's first placeholder. */
	varying?: string;
	/** Options that this package and n8n's HTTP Request node have in common. */
	options?: INodeParameters;
	/** Options of this package alone. */
	own?: INodeParameters;
}

/** The node that sends a template to each item: this package's, or HTTP Request. */
export type MakeSend = (settings?: SendSettings) => INode;

/** What happens to a request in place of its response; a cut breaks the connection before or after the service acts. */
export const acts = {
	reject: { kind: 'status', status: 400, body: { error: 'Out of order' } },
	cutAfter: { kind: 'cut', when: 'after' },
} as const;
export type Act = keyof typeof acts;

/** An n8n, a sandbox whose messages stand still, and an account there. */
export class Stage {
	private constructor(
		readonly n8n: N8nApi,
		readonly sandbox: Sandbox,
		/** The credentials that hold the service's key, for each of the nodes that send. */
		readonly account: { own: CredentialRef; peer: CredentialRef },
		private readonly callAt: string,
	) {}

	/** @param callAt where n8n takes calls, if not at its own address */
	static async open(n8n: N8nApi, callAt = n8n.url): Promise<Stage> {
		const sandbox = await startSandbox({ lifecycle: { enabled: false } });
		const own = await n8n.createAccount(sandbox);
		const header = { name: 'x-api-key', value: sandbox.keys.production };
		const peer = await n8n.createCredential(header, 'httpHeaderAuth');
		return new Stage(n8n, sandbox, { own, peer }, callAt);
	}

	/** All messages at the service. */
	async arrivals(): Promise<Arrival[]> {
		const messages = await this.sandbox.control.messages();
		return messages.map(({ to, providerMessageId }) => ({ recipient: to, id: providerMessageId }));
	}

	async waitForArrivals(count: number): Promise<void> {
		await waitFor(`${count} arrivals`, async () => (await this.arrivals()).length >= count);
	}

	/** What happens to the next requests for a recipient, one after the other. */
	async script(recipient: string, ...wanted: Act[]): Promise<void> {
		for (const act of wanted) {
			await this.sandbox.control.addFault({ ...acts[act], path: '*', bodyContains: recipient });
		}
	}

	/** Lets every send take a while. */
	async slow(latencyMs: number): Promise<void> {
		const fault = { kind: 'latency', path: '/chat/send-template', count: 'infinite' } as const;
		await this.sandbox.control.addFault({ ...fault, latencyMs });
	}

	/**
	 * Leaves requests without a response, from one on.
	 *
	 * @param which selects them; `skip` pass before
	 * @returns what waits for the first one
	 */
	async hold(which: {
		path?: string;
		bodyContains?: string;
		skip?: number;
	}): Promise<() => Promise<void>> {
		const { control } = this.sandbox;
		const name = crypto.randomUUID();
		const fault = { kind: 'silence', when: 'after', path: '*', count: 'infinite' } as const;
		await control.addFault({ ...fault, ...which, name });
		const isReached = async () =>
			(await control.overview()).faults.latest.some(
				({ fault: one, hits }) => one.name === name && hits > 0,
			);
		return async () => void (await waitFor('a request without a response', isReached));
	}

	/** This package's node. */
	readonly ours: MakeSend = ({ extra, varying, options, own } = {}) => {
		const values = varying && { parametersUi: { parameter: [{ value: `={{ ${varying} }}` }] } };
		const parameters = { ...template, ...values, options: { timeout, ...options, ...own } };
		return messagingService(parameters, this.account.own, { name: sender, ...extra });
	};

	/** n8n's HTTP Request node with the same request. */
	readonly peer: MakeSend = ({ extra, varying, options } = {}) => {
		const values = varying === undefined ? '' : `, parameters: [String(${varying})]`;
		const body = `{ phone: $json.phone, templateName: "order_update", language: "en"${values} }`;
		const parameters = {
			method: 'POST',
			url: `${this.sandbox.baseUrl}/chat/send-template`,
			...{ authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' },
			...{ sendBody: true, specifyBody: 'json', jsonBody: `={{ JSON.stringify(${body}) }}` },
			options: { timeout, ...options },
		};
		const credentials = { httpHeaderAuth: this.account.peer };
		return httpRequest(sender, parameters, { credentials, ...extra });
	};

	/** A node that requests something else, by a path of its own, and goes on with any response. */
	other(path: string): INode {
		const options = { response: { response: { neverError: true } } };
		return httpRequest('Other', { url: `${this.sandbox.baseUrl}${path}`, options });
	}

	/** Saves a workflow that is started by hand. @returns its id */
	readonly manual = async (nodes: INode[], connections?: IConnections[]): Promise<string> =>
		await this.n8n.createWorkflow(workflow([manualTrigger(), ...nodes], connections));

	/** Publishes a workflow that is started by a call, as in production. */
	async production(
		nodes: INode[],
		{ connections, settings }: { connections?: IConnections[]; settings?: IDataObject } = {},
	): Promise<{ id: string; start(): Promise<string> }> {
		const { node: call, send } = webhookCall();
		const id = await this.n8n.createPublished(workflow([call, ...nodes], connections, settings));
		const start = async () => {
			await send(this.callAt);
			return await this.n8n.newestExecution(id);
		};
		return { id, start };
	}

	/** Publishes a sub-workflow, and makes the node that calls it with all items at once. */
	async subWorkflow(nodes: INode[]): Promise<{ id: string; call: INode }> {
		const called = { inputSource: 'passthrough' };
		const type = 'n8n-nodes-base.executeWorkflowTrigger';
		const trigger = node('Called', type, called, { typeVersion: 1.1 });
		const id = await this.n8n.createPublished(workflow([trigger, ...nodes]));
		const workflowId = { __rl: true, mode: 'id', value: id };
		const call = node(
			'Sub-workflow',
			'n8n-nodes-base.executeWorkflow',
			{ workflowId, mode: 'once', options: {} },
			{ typeVersion: 1.2 },
		);
		return { id, call };
	}

	/** Saves another node of the same name in place of one, as an edit between two attempts. */
	async replace(workflowId: string, changed: INode): Promise<void> {
		const { nodes } = await this.n8n.getWorkflow(workflowId);
		await this.n8n.updateWorkflow(workflowId, {
			nodes: nodes.map((one) => (one.name === changed.name ? changed : one)),
		});
	}

	async close(): Promise<void> {
		await this.sandbox.close();
	}
}

/** Parameters of a template message to each item. */
export const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone: '={{ $json.phone }}',
	templateName: 'order_update',
};

const httpRequest = (name: string, parameters: INodeParameters, extra?: NodeExtra): INode =>
	node(name, 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4.2, ...extra });

/** @param connections one node after the other by default */
const workflow = (
	nodes: INode[],
	connections = [connect(nodes)],
	settings?: IDataObject,
): WorkflowJson => ({
	name: `Reliability ${crypto.randomUUID()}`,
	nodes,
	connections: joined(...connections),
	settings,
});

/**
 * Opens a stage in the n8n of the tests for one file; before each test its sandbox starts over.
 *
 * @returns the stage, which is empty until the tests begin
 */
export function useStage(): Stage {
	const stage = Object.create(Stage.prototype) as Stage;
	beforeAll(async () => Object.assign(stage, await Stage.open(attachN8n())));
	beforeEach(async () => await stage.sandbox.control.reset());
	afterAll(async () => await stage.close());
	return stage;
}

const firstNumber = 999_000_500_000;

/** Phone numbers, one for each item. */
export const phones = (count: number, first = 0): string[] =>
	Array.from({ length: count }, (_, index) => String(firstNumber + first + index));

/** A Code node that returns an item for each phone number. */
export const recipientsNode = (all: string[], name = 'Recipients'): INode =>
	code(
		`return ${JSON.stringify(all)}.map((phone, i) => ({ json: { phone, order: 'o' + i } }));`,
		name,
	);
