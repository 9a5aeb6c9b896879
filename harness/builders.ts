import { mergeWith } from 'lodash';
import type { IConnections, IDataObject, INode, INodeParameters, IPinData } from 'n8n-workflow';
import { packageName } from './paths';

/** A workflow as n8n exports it and as its editor sends it. */
export interface WorkflowJson {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IDataObject;
	/** What a trigger or node returns instead of running, in manual runs. */
	pinData?: IPinData;
}

/** What a node may carry besides its parameters: credentials, onError, retryOnFail, … */
export type NodeExtra = Partial<Omit<INode, 'name' | 'type' | 'parameters'>>;

export interface CredentialRef {
	id: string;
	name: string;
}

/** Any node. The id is made from the name, so that the same workflow is the same JSON. */
export function node(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	extra: NodeExtra = {},
): INode {
	const id = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
	return { id, name, type, typeVersion: 1, position: [0, 0], parameters, ...extra };
}

export const manualTrigger = (): INode => node('Start', 'n8n-nodes-base.manualTrigger');

export const noOp = (name = 'Nothing'): INode => node(name, 'n8n-nodes-base.noOp');

/** A node that hands over some items in each round. */
export const loopOver = (batchSize: number): INode =>
	node('Loop', 'n8n-nodes-base.splitInBatches', { batchSize, options: {} }, { typeVersion: 3 });

/** A node that returns the JSON of an expression. */
export const set = (name: string, jsonOutput: string): INode =>
	node(name, 'n8n-nodes-base.set', { mode: 'raw', jsonOutput }, { typeVersion: 3.4 });

/** A Code node that returns one item for each of the given objects. */
export const items = (json: IDataObject[], name = 'Items'): INode =>
	code(`return ${JSON.stringify(json)}.map((json) => ({ json }));`, name);

/** A Code node, e.g. to make many items or binary data. */
export const code = (jsCode: string, name = 'Code'): INode =>
	node(name, 'n8n-nodes-base.code', { jsCode }, { typeVersion: 2 });

/** Makes a node of the package, with its credential unless it has no authentication. */
const own =
	(type: string, defaultName: string, credentialType = 'messagingServiceApi') =>
	(
		parameters: INodeParameters,
		credential?: CredentialRef,
		{ name = defaultName, ...extra }: NodeExtra & { name?: string } = {},
	): INode => {
		const hook = { typeVersion: 1.1, webhookId: crypto.randomUUID() };
		return node(name, `${packageName}.${type}`, parameters, {
			...(credential && { credentials: { [credentialType]: credential } }),
			...(/(?<!Polling)Trigger$/.test(type) && hook),
			...extra,
		});
	};

/** The package's action node; `parameters` hold `resource` and `operation` too. */
export const messagingService = own('messagingService', 'Messaging Service');

/** The same as a tool of an AI agent. */
export const messagingServiceTool = own('messagingServiceTool', 'Tool');

/** The same as a person's review of a tool. */
export const messagingServiceReview = own('messagingServiceHitlTool', 'Review');

/** The package's triggers. */
export const messagingServiceTrigger = own('messagingServiceTrigger', 'Messaging Service Trigger');
export const messagingServicePollingTrigger = own(
	'messagingServicePollingTrigger',
	'Messaging Service Polling Trigger',
);
export const messagingServiceDashboardTrigger = own(
	'messagingServiceDashboardTrigger',
	'Dashboard',
	'messagingServiceDashboard',
);

/**
 * Connects the main output of each node with the next one.
 * @param chain names in order; connect several chains by merging with `joined`
 * @param outputIndex the output of the first node; 1 is the error output of most nodes
 */
export function connect(chain: Array<INode | string>, outputIndex = 0): IConnections {
	const names = chain.map((entry) => (typeof entry === 'string' ? entry : entry.name));
	return Object.fromEntries(
		names.slice(0, -1).map((from, index) => {
			const target = { node: names[index + 1] ?? '', type: 'main' as const, index: 0 };
			const skipped = Array.from({ length: index === 0 ? outputIndex : 0 }, () => []);
			return [from, { main: [...skipped, [target]] }];
		}),
	);
}

/** Puts several connections together, output by output. */
export const joined = (...parts: IConnections[]): IConnections =>
	mergeWith({}, ...parts, (known: unknown, added: unknown[], key: string) =>
		key !== 'main' && Array.isArray(known) ? [...known, ...added] : undefined,
	) as IConnections;

/** A workflow whose nodes run one after the other. */
export function chain(name: string, nodes: INode[]): WorkflowJson {
	const placed = nodes.map((entry, index): INode => ({ ...entry, position: [index * 220, 0] }));
	return { name, nodes: placed, connections: connect(placed) };
}
