import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	attachN8n,
	code,
	connect,
	joined,
	manualTrigger,
	messagingService,
	node,
	type CredentialRef,
	type N8nApi,
	type NodeExtra,
	type WorkflowJson,
} from '../../../harness';
import { webhookCall } from '../webhookCall';
import { Service } from './service';

export const sender = 'Send';

/** Milliseconds; no answer takes as long, also on a busy machine. */
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

/** The credentials that hold the service's key, for each of the nodes that send. */
interface Account {
	own: CredentialRef;
	peer: CredentialRef;
}

/** The node that sends a template to each item: this package's, or HTTP Request. */
export type MakeSend = (settings?: SendSettings) => INode;

/** An n8n, the stand-in for the service, and an account there. */
export class Stage {
	private constructor(
		readonly n8n: N8nApi,
		readonly service: Service,
		readonly account: Account,
		private readonly callAt: string,
	) {}

	/** @param callAt where n8n takes calls, if not at its own address */
	static async open(n8n: N8nApi, callAt = n8n.url): Promise<Stage> {
		const service = await Service.open();
		return new Stage(n8n, service, await createAccount(n8n, service), callAt);
	}

	/** This package's node. */
	readonly ours: MakeSend = ({ extra, varying, options, own } = {}) =>
		messagingService(
			{
				resource: 'chatMessage',
				operation: 'sendTemplate',
				phone: '={{ $json.phone }}',
				templateName: 'order_update',
				...(varying === undefined
					? {}
					: { parametersUi: { parameter: [{ value: `={{ ${varying} }}` }] } }),
				options: { timeout, ...options, ...own },
			},
			this.account.own,
			{ name: sender, ...extra },
		);

	/** n8n's HTTP Request node with the same request. */
	readonly peer: MakeSend = ({ extra, varying, options } = {}) => {
		const parameters = varying === undefined ? '' : `, parameters: [String(${varying})]`;
		return node(
			sender,
			'n8n-nodes-base.httpRequest',
			{
				method: 'POST',
				url: `${this.service.baseUrl}/chat/send-template`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `={{ JSON.stringify({ phone: $json.phone, templateName: "order_update", language: "en"${parameters} }) }}`,
				options: { timeout, ...options },
			},
			{
				typeVersion: 4.2,
				credentials: { httpHeaderAuth: this.account.peer },
				...extra,
			},
		);
	};

	/** This package's campaign of all items. */
	campaign(options: INodeParameters, extra: NodeExtra = {}): INode {
		const create = { resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' };
		return messagingService({ ...create, options }, this.account.own, { name: sender, ...extra });
	}

	/** A node that asks for something else, by a name of its own, and so can be made to wait. */
	other(asks: string, name = 'Other'): INode {
		const url = this.service.otherUrl(asks);
		return node(name, 'n8n-nodes-base.httpRequest', { url, options: {} }, { typeVersion: 4.2 });
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
		return {
			id,
			start: async () => {
				await send(this.callAt);
				return await this.n8n.newestExecution(id);
			},
		};
	}

	/** Publishes a sub-workflow, and makes the node that calls it with all items at once. */
	async subWorkflow(nodes: INode[]): Promise<{ id: string; call: INode }> {
		const trigger = node(
			'Called',
			'n8n-nodes-base.executeWorkflowTrigger',
			{ inputSource: 'passthrough' },
			{ typeVersion: 1.1 },
		);
		const id = await this.n8n.createPublished(workflow([trigger, ...nodes]));
		const call = node(
			'Sub-workflow',
			'n8n-nodes-base.executeWorkflow',
			{ workflowId: { __rl: true, mode: 'id', value: id }, mode: 'once', options: {} },
			{ typeVersion: 1.2 },
		);
		return { id, call };
	}

	/** Saves another node of the same name in place of one, as an edit between two tries. */
	async replace(workflowId: string, changed: INode): Promise<void> {
		const { nodes } = await this.n8n.getWorkflow(workflowId);
		await this.n8n.updateWorkflow(workflowId, {
			nodes: nodes.map((one) => (one.name === changed.name ? changed : one)),
		});
	}

	async close(): Promise<void> {
		await this.service.close();
	}
}

/** @param connections one node after the other when left out */
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
 * Opens a stage in the n8n of the tests for one file; before each test its service forgets all.
 *
 * @returns the stage, which is empty until the tests begin
 */
export function useStage(): Stage {
	const stage = Object.create(Stage.prototype) as Stage;
	beforeAll(async () => Object.assign(stage, await Stage.open(attachN8n())));
	beforeEach(() => stage.service.reset());
	afterAll(async () => await stage.close());
	return stage;
}

const firstNumber = 999_000_500_000;

/** Phone numbers, one for each item. */
export const phones = (count: number, first = 0): string[] =>
	Array.from({ length: count }, (_, index) => String(firstNumber + first + index));

/** A Code node that gives an item for each phone number. */
export const recipientsNode = (all: string[], name = 'Recipients'): INode =>
	code(
		`return ${JSON.stringify(all)}.map((phone, i) => ({ json: { phone, order: 'o' + i } }));`,
		name,
	);

async function createAccount(n8n: N8nApi, { baseUrl, key }: Service): Promise<Account> {
	const own = await n8n.createAccount({ baseUrl, keys: { production: key, test: key } });
	const header = { name: 'x-api-key', value: key };
	return { own, peer: await n8n.createCredential(own.name, header, 'httpHeaderAuth') };
}
