// What surrounds the node in its workflow.

import type { IExecuteFunctions } from 'n8n-workflow';

/** The names of all nodes before this one. */
export const ancestorsOf = (context: IExecuteFunctions): string[] =>
	context.getParentNodes(context.getNode().name).map(({ name }) => name);

/** Whether the node is part of a loop. */
export function isInLoop(context: IExecuteFunctions): boolean {
	const before = new Set(ancestorsOf(context));
	return context.getChildNodes(context.getNode().name).some(({ name }) => before.has(name));
}
