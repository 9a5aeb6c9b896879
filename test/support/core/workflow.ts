import {
	NodeHelpers,
	Workflow,
	type IDataObject,
	type INode,
	type IWorkflowSettings,
} from 'n8n-workflow';
import { nodeOf, nodeTypes } from './nodeTypes';

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
