// Workflows that start with events of messages: what must not be sent because of an event.

import { attempt, isObject, memoize } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { endpoints } from '../api/endpoints';
import { InputFailure } from '../api/failure';
import { isChunk, type Job } from '../job';
import { digitsOf } from '../parameters/phone';
import { testModes } from './plan';

/** Where an item of the package's triggers describes its message. */
const messagePaths: Record<string, string> = {
	messagingServiceTrigger: 'json.data',
	messagingServicePollingTrigger: 'json',
};

/** When something was sent, and in which execution. */
interface Note {
	execution: string;
	time: number;
}

/**
 * What each node of this process sent because of events, oldest first: the IDs of the new messages, the
 * recipients of texts, which get no ID, and the IDs of the events' messages with the new content.
 */
const sentByNode: (node: string) => Map<string, Note> = memoize(() => new Map());
const maxPerNode = 10_000;

/** Milliseconds in which an event without a template is taken for one of a text to the same recipient. */
const textWindow = 600_000;

/**
 * Prevents endless loops and repeats: a node does not send because of an event of a message that it sent
 * because of an event itself, and sends the same content for only one event of a message (docs/contract.md,
 * section 4.1).
 */
export class EventSends {
	private readonly sent: Map<string, Note>;

	/** Expressions for the message whose event started the execution. */
	private readonly expressions: string[];

	constructor(private readonly context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		this.sent = sentByNode(`${context.getWorkflow().id} ${id}`);
		this.expressions = context.getParentNodes(name).flatMap((parent) => {
			const path = messagePaths[parent.type.split('.').at(-1) ?? ''];
			const trigger = `$(${JSON.stringify(parent.name)})`;
			const isCause = path && this.evaluated(`{{ ${trigger}.isExecuted }}`, 0) === true;
			return isCause ? `{{ ${trigger}.item.${path} }}` : [];
		});
	}

	/** Notes the ID of the new message in a response. */
	noteResponse({ providerMessageId: id }: IDataObject): void {
		if (this.expressions.length > 0 && isId(id)) this.note(id);
	}

	/** Notes that a job is about to be sent. Returns why it must not be, and what takes the note back. */
	begin(job: Job): { failure?: InputFailure; undo(): void } {
		const causes = this.causesOf(job);
		// By hand, the same event may start the workflow several times.
		const isTest = testModes.has(this.context.getMode());
		const ids = isTest ? [] : causes.map((cause) => String(cause.providerMessageId));
		const contents = ids.map((id) => `${id} ${job.send?.content}`);
		const { endpoint, body } = job.plan?.request ?? {};
		const isText = causes.length > 0 && endpoint === endpoints.sendText;
		const notes = [...contents, ...(isText ? [textTo(body?.phone)] : [])];
		const undo = () => notes.forEach((one) => this.sent.delete(one));
		if (causes.some((cause) => this.isOwn(cause))) return { failure: endlessLoop(), undo };
		const isRepeat = contents.some((one) => this.sentElsewhere(one));
		if (isRepeat && !job.earlierUnknown) return { failure: sameMessage(), undo };
		for (const one of notes) this.note(one);
		return { undo };
	}

	/** The messages whose events cause a job. The content of a campaign's chunk does not contain its values. */
	private causesOf(job: Job): IDataObject[] {
		if (!job.send || isChunk(job)) return [];
		return job.items
			.flatMap((item) => this.expressions.map((one) => this.evaluated(one, item)))
			.filter((one): one is IDataObject => isObject(one) && 'providerMessageId' in one)
			.filter(({ providerMessageId }) => isId(providerMessageId));
	}

	private isOwn({ providerMessageId, templateName, type, to }: IDataObject): boolean {
		if (this.sent.has(String(providerMessageId))) return true;
		const mayBeText = !templateName && type !== 'template';
		const noted = mayBeText ? this.sentElsewhere(textTo(to)) : undefined;
		return noted !== undefined && Date.now() - noted.time < textWindow;
	}

	/** What another execution sent. */
	private sentElsewhere(key: string): Note | undefined {
		const noted = this.sent.get(key);
		return noted?.execution === this.context.getExecutionId() ? undefined : noted;
	}

	private note(key: string): void {
		this.sent.set(key, { execution: this.context.getExecutionId(), time: Date.now() });
		const [oldest = ''] = this.sent.keys();
		if (this.sent.size > maxPerNode) this.sent.delete(oldest);
	}

	/** An item may have lost its link to the trigger's item; n8n throws then. */
	private evaluated(expression: string, item: number): unknown {
		return attempt(() => this.context.evaluateExpression(expression, item));
	}
}

const isId = (id: unknown): id is string => typeof id === 'string' && id !== '';

const textTo = (recipient: unknown): string => `text to ${digitsOf(recipient)}`;

const endlessLoop = () =>
	new InputFailure(
		'The event that started this execution belongs to a message that this node sent itself: each new message would start the workflow again',
		'Let only events of other messages reach this node, e.g. with an If node. If the workflow is meant to repeat itself, send in a sub-workflow. A retry does not send this either.',
	);

const sameMessage = () =>
	new InputFailure(
		'This node sent the same, or tried to, because of another event of the message',
		'Each event starts the workflow. Select only one kind of event in the trigger, or put an If node before this node. A retry does not send this either.',
	);
