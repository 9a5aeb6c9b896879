// Workflows that start with events of messages: what must not be sent because of an event.

import { attempt, memoize } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { InputFailure } from '../api/failure';
import { isChunk, type Job } from '../job';
import { testModes } from './plan';

/** Where an item of the package's triggers contains the ID of its message. */
const idPaths: Record<string, string> = {
	messagingServiceTrigger: 'data.providerMessageId',
	messagingServicePollingTrigger: 'providerMessageId',
};

/**
 * What each node of this process sent because of events, oldest first, each with the ID of its execution: the
 * IDs of the new messages, and the IDs of the messages in the events with the new content.
 */
const sentByNode: (node: string) => Map<string, string> = memoize(() => new Map());
const maxPerNode = 10_000;

/**
 * Prevents endless loops and repeats: a node does not send because of an event of a message that it sent
 * because of an event itself, and sends the same content for only one event of a message (docs/contract.md,
 * section 4.1).
 */
export class EventSends {
	private readonly sent: Map<string, string>;

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

	/** Notes the ID of the new message in a response. */
	noteResponse({ providerMessageId: id }: IDataObject): void {
		if (this.expressions.length > 0 && isId(id)) this.note(id);
	}

	/** Notes that a job is about to be sent. Returns why it must not be, and what takes the note back. */
	begin(job: Job): { failure?: InputFailure; undo(): void } {
		const { items, send, earlierUnknown } = job;
		// The content of a campaign's chunk does not contain its values.
		const causing = send && !isChunk(job) ? items : [];
		const causes = causing
			.flatMap((item) => this.expressions.map((one) => this.evaluated(one, item)))
			.filter(isId);
		// By hand, the same event may start the workflow several times.
		const isTest = testModes.has(this.context.getMode());
		const contents = isTest ? [] : causes.map((id) => `${id} ${send?.content}`);
		const undo = () => contents.forEach((one) => this.sent.delete(one));
		if (causes.some((id) => this.sent.has(id))) return { failure: endlessLoop(), undo };
		const execution = this.context.getExecutionId();
		const isRepeat = contents.some((one) => (this.sent.get(one) ?? execution) !== execution);
		if (isRepeat && !earlierUnknown) return { failure: sameMessage(), undo };
		for (const one of contents) this.note(one);
		return { undo };
	}

	private note(key: string): void {
		this.sent.set(key, this.context.getExecutionId());
		const [oldest = ''] = this.sent.keys();
		if (this.sent.size > maxPerNode) this.sent.delete(oldest);
	}

	/** An item may have lost its link to the trigger's item; n8n throws then. */
	private evaluated(expression: string, item: number): unknown {
		return attempt(() => this.context.evaluateExpression(expression, item));
	}
}

const isId = (id: unknown): id is string => typeof id === 'string' && id !== '';

const endlessLoop = () =>
	new InputFailure(
		'The event that started this execution belongs to a message that this node sent itself: each new message would start the workflow again',
		'Let only events of other messages reach this node, with an If node or with Template Names in the trigger. If the workflow is meant to repeat itself, send in a sub-workflow. A retry does not send this either.',
	);

const sameMessage = () =>
	new InputFailure(
		'This node sent the same, or tried to, because of another event of the message',
		'Each event starts the workflow. Select only one kind of event in the trigger, or put an If node before this node. A retry does not send this either.',
	);
