// What surrounds the node in its workflow.

import type { IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';

/** The names of all nodes before this one. */
export const ancestorsOf = (context: IExecuteFunctions): string[] =>
	context.getParentNodes(context.getNode().name).map(({ name }) => name);

/** Whether a node is part of a loop. */
function isInLoop(context: IExecuteFunctions, node: string): boolean {
	const before = new Set(context.getParentNodes(node).map(({ name }) => name));
	return context.getChildNodes(node).some(({ name }) => before.has(name));
}

/** The nodes of loops before this one. If it is part of a loop, these are the others of the loop. */
export function loopNodesBefore(context: IExecuteFunctions): NodeTypeAndVersion[] {
	const { name: own } = context.getNode();
	const before = context.getParentNodes(own);
	const after = new Set(context.getChildNodes(own).map(({ name }) => name));
	const inLoop = before.filter(({ name }) => after.has(name));
	return inLoop.length > 0 ? inLoop : before.filter(({ name }) => isInLoop(context, name));
}
