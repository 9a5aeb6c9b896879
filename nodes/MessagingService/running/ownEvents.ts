// Endless loops: a workflow that starts with events of messages and causes such events itself.

import { attempt, memoize } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { InputFailure } from '../api/failure';
import type { Job } from '../job';

/** Where an item of the package's triggers contains the ID of its message. */
const idPaths: Record<string, string> = {
	messagingServiceTrigger: 'data.providerMessageId',
	messagingServicePollingTrigger: 'providerMessageId',
};

/** Messages that each node of this process sent because of an event, oldest first. */
const sentByNode: (node: string) => Set<unknown> = memoize(() => new Set());
const maxPerNode = 10_000;

/** Recognizes events of messages that a node sent because of an event itself (docs/contract.md, section 4.1). */
export class OwnEvents {
	private readonly sent: Set<unknown>;

	/** Expressions for the ID of the message whose event started the execution. */
	private readonly expressions: string[];

	constructor(private readonly context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		this.sent = sentByNode(`${context.getWorkflow().id} ${id}`);
		this.expressions = context.getParentNodes(name).flatMap((parent) => {
			const path = idPaths[parent.type.split('.').at(-1) ?? ''];
			const trigger = `$(${JSON.stringify(parent.name)})`;
			const isCause = path && this.evaluated(`{{ ${trigger}.isExecuted }}`, 0) === true;
			return isCause ? `{{ ${trigger}.item.json.${path} }}` : [];
		});
	}

	/** Remembers the response to a send. */
	remember({ providerMessageId }: IDataObject): void {
		if (this.expressions.length === 0 || typeof providerMessageId !== 'string') return;
		this.sent.add(providerMessageId);
		if (this.sent.size > maxPerNode) this.sent.delete(this.sent.values().next().value);
	}

	/** Why a job must not be sent; undefined unless an own event started it. */
	failureOf({ items }: Job): InputFailure | undefined {
		if (this.sent.size === 0) return undefined;
		const isOwn = items.some((item) =>
			this.expressions.some((one) => this.sent.has(this.evaluated(one, item))),
		);
		if (!isOwn) return undefined;
		return new InputFailure(
			'The event that started this execution belongs to a message that this node sent itself: each new message would start the workflow again',
			'Let only events of other messages reach this node, with an If node or with Template Names in the trigger. If the workflow is meant to repeat itself, send in a sub-workflow.',
		);
	}

	/** An item may have lost its link to the trigger's item; n8n throws then. */
	private evaluated(expression: string, item: number): unknown {
		return attempt(() => this.context.evaluateExpression(expression, item));
	}
}
