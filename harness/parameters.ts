import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';

/**
 * The parameters of a node that its type does not know, does not show with the other values, or
 * finds wrong, as dotted paths and n8n's own words. Empty when the editor would show the node
 * without a complaint.
 */
export function wrongParameters(node: INode, description: INodeTypeDescription): string[] {
	const { properties } = description;
	const shown = NodeHelpers.getNodeParameters(
		properties,
		node.parameters,
		true,
		false,
		node,
		description,
	);
	// What is left out has its default, as in the editor.
	const complete = { ...node, parameters: shown ?? {} };
	const issues = NodeHelpers.getNodeParametersIssues(properties, complete, description);
	return [
		...strangers(node.parameters, shown ?? {}),
		...Object.values(issues?.parameters ?? {}).flat(),
	];
}

/** Paths in `given` that `known` does not have. */
function strangers(given: unknown, known: unknown, path = ''): string[] {
	if (typeof given !== 'object' || given === null) return [];
	const other = Object(known) as Record<string, unknown>;
	return Object.entries(given).flatMap(([key, value]) => {
		const name = path === '' ? key : `${path}.${key}`;
		return key in other ? strangers(value, other[key], name) : [name];
	});
}
