import {
	NodeHelpers,
	Workflow,
	type IDataObject,
	type INode,
	type INodeType,
	type INodeTypes,
	type IWorkflowSettings,
} from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';

const nodes: Record<string, INodeType> = {
	messagingService: new MessagingService(),
	messagingServicePollingTrigger: new MessagingServicePollingTrigger(),
	messagingServiceTrigger: new MessagingServiceTrigger(),
};

/** One of the package's nodes; throws for any other type. */
function nodeOf(type: string): INodeType {
	const node = nodes[type.split('.').pop() ?? ''];
	if (!node) throw new Error(`No node type ${type}`);
	return node;
}

/** The package's own nodes, as n8n finds them by type. */
const nodeTypes: INodeTypes = {
	getByName: nodeOf,
	getByNameAndVersion: nodeOf,
	getKnownTypes: () => ({}),
};

/** A workflow of one node of this package, with its parameters filled up as n8n does. */
export function workflowOf(
	node: INode,
	options: {
		active: boolean;
		id?: string;
		settings?: IWorkflowSettings;
		staticData?: IDataObject;
	},
): Workflow {
	const { description } = nodeOf(node.type);
	const { parameters } = node;
	node.parameters =
		NodeHelpers.getNodeParameters(
			description.properties,
			parameters,
			true,
			false,
			node,
			description,
		) ?? {};
	return new Workflow({
		nodes: [node],
		connections: {},
		nodeTypes,
		...options,
		id: options.id ?? 'test',
	});
}
