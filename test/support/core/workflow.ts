import {
	NodeHelpers,
	Workflow,
	type IConnections,
	type ICredentialsHelper,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeType,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
} from 'n8n-workflow';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { MessagingServiceDashboardTrigger } from '../../../nodes/MessagingService/MessagingServiceDashboardTrigger.node';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';

const nodes: INodeType[] = [
	new MessagingService(),
	new MessagingServiceDashboardTrigger(),
	new MessagingServicePollingTrigger(),
	new MessagingServiceTrigger(),
];

function nodeOf(type: string): INodeType {
	// n8n makes the tool of a node.
	const name = type.split('.').pop()?.replace(/Tool$/, '');
	const node = nodes.find(({ description }) => description.name === name);
	if (!node) throw new Error(`No node type ${type}`);
	return node;
}

/** The package's own nodes, as n8n finds them by type. */
const nodeTypes: INodeTypes = {
	getByName: nodeOf,
	getByNameAndVersion: nodeOf,
	getKnownTypes: () => ({}),
};

/** A workflow around one node of this package, with its parameters filled up as n8n does. */
export function workflowOf(
	node: INode,
	{
		before = [],
		...options
	}: {
		active: boolean;
		id?: string;
		settings?: IWorkflowSettings;
		staticData?: IDataObject;
		/** Nodes before it. */
		before?: INode[];
		connections?: IConnections;
	},
): Workflow {
	const { description } = nodeOf(node.type);
	const { properties } = description;
	const given = node.parameters;
	node.parameters =
		NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
	const nodes = [...before, node];
	return new Workflow({ id: 'test', nodes, connections: {}, nodeTypes, ...options });
}

/**
 * What every context needs besides the workflow. The credential signs requests with its type's own
 * `authenticate`; n8n's real helper needs its server and database, and the end-to-end tests use that.
 */
export function additionalDataOf(
	node: INode,
	credential: object,
	more: object = {},
): IWorkflowExecuteAdditionalData {
	const { authenticate, properties } = new MessagingServiceApi();
	type Authenticate = Extract<typeof authenticate, (...given: never[]) => unknown>;
	const nothing = async () => await Promise.resolve(undefined);
	const credentialsHelper = {
		isCredentialUsableByNode: () => true,
		getParentTypes: () => [],
		authenticate: async (...[data, , request]: Parameters<ICredentialsHelper['authenticate']>) =>
			await (authenticate as Authenticate)(data, request as IHttpRequestOptions),
		preAuthentication: nothing,
		runPreAuthentication: nothing,
		// As n8n does, with an empty text for what was never filled in.
		getDecrypted: async () => await Promise.resolve({ countryCodes: '', ...credential }),
		getCredentialsProperties: () => properties,
	};
	const currentNodeParameters = node.parameters;
	const data = { credentialsHelper, currentNodeParameters, variables: {}, ...more };
	return data as unknown as IWorkflowExecuteAdditionalData;
}
