// Endless loops: a workflow that starts with events of messages and causes such events itself.

import { attempt, memoize } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { InputFailure } from '../api/failure';

/** Where an item of the package's triggers contains the ID of its message. */
const idPaths: Record<string, string> = {
	messagingServiceTrigger: 'data.providerMessageId',
	messagingServicePollingTrigger: 'providerMessageId',
};

/** Messages that each node of this process sent because of an event, oldest first. */
const sentByNode: (node: string) => Set<unknown> = memoize(() => new Set());
const maxPerNode = 10_000;

/** Stops a node that would send because of an event of a message it sent itself. */
export class OwnEvents {
	private readonly sent: Set<unknown>;
	/** Expressions for the ID of the message that started the execution. */
	private readonly expressions: string[];

	constructor(private readonly context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		this.sent = sentByNode(`${context.getWorkflow().id} ${id}`);
		this.expressions = context.getParentNodes(name).flatMap((parent) => {
			const path = idPaths[parent.type.split('.').at(-1) ?? ''];
			const trigger = `$(${JSON.stringify(parent.name)})`;
			return path ? `{{ ${trigger}.isExecuted && ${trigger}.item.json.${path} }}` : [];
		});
	}

	/** Remembers the response to a send, if events can start this node. */
	remember(response: IDataObject): void {
		const { providerMessageId } = response;
		if (this.expressions.length === 0 || typeof providerMessageId !== 'string') return;
		this.sent.add(providerMessageId);
		if (this.sent.size > maxPerNode) this.sent.delete(this.sent.values().next().value);
	}

	/** Throws InputFailure if the event of an item belongs to a message that this node sent. */
	reject(itemIndex: number): void {
		if (this.sent.size === 0) return;
		const isOwn = this.expressions.some((expression) => {
			// An item can have lost its link to the trigger's item.
			const id: unknown = attempt(() => this.context.evaluateExpression(expression, itemIndex));
			return this.sent.has(id);
		});
		if (!isOwn) return;
		throw new InputFailure(
			'The event that started this execution belongs to a message that this node sent itself: each new message would start the workflow again',
			"In the trigger's options, select events by template (Template Names), or put an If node before this one. If the workflow is meant to repeat itself, send in a sub-workflow.",
		);
	}
}
