// Prevents loops, repeated sends and sends to strangers in workflows that events of messages start.

import { attempt, get, isEqual, isObject, map, memoize } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { endpoints } from '../api/endpoints';
import { InputFailure } from '../api/failure';
import { isChunk, type Job } from '../job';
import { checkChatPhone, digitsOf } from '../parameters/phone';
import { shown } from '../parameters/shown';
import { testModes } from './simulation';

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

/** Milliseconds in which an event without a template counts as that of a text to the same recipient. */
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

	/** Why items must not be sent of which only some have the number of the event's message. */
	unfilteredFailure(): InputFailure | undefined {
		const items = map(this.context.getInputData(), 'json');
		const causeOf = (item: number) => this.expressions.map((one) => this.evaluated(one, item));
		const cause = items.length > 1 ? causeOf(0) : [];
		const to = digitsOf(get(cause, '0.to'));
		const isOther = (value: unknown) => digitsOf(value) !== to && 'phone' in checkChatPhone(value);
		if (to === '') return undefined;
		const field = Object.keys(items[0] ?? {}).find(
			(key) =>
				items.some((json) => digitsOf(json[key]) === to) &&
				items.some((json) => isOther(json[key])),
		);
		const isUnfiltered =
			field !== undefined && items.every((_, item) => isEqual(causeOf(item), cause));
		return isUnfiltered ? unfiltered(field) : undefined;
	}

	/** Notes the ID of the new message in a response. */
	noteResponse({ providerMessageId: id }: IDataObject): void {
		if (this.expressions.length > 0 && isId(id)) this.note(id);
	}

	/** Notes that a job is about to be sent. Returns why it must not be, and what takes the notes back. */
	begin(job: Job): { failure?: InputFailure; undo(): void } {
		const causes = this.causesOf(job);
		const contents = causes.map(
			({ providerMessageId: id }) => `${String(id)} ${job.send?.content}`,
		);
		const { endpoint, body } = job.plan?.request ?? {};
		const isText = causes.length > 0 && endpoint === endpoints.sendText;
		const notes = [...contents, ...(isText ? [textTo(body?.phone)] : [])];
		const added = notes.filter((one) => !this.sent.has(one));
		const undo = () => added.forEach((one) => this.sent.delete(one));
		const failure = this.failureOf(job, causes, contents);
		if (!failure) for (const one of notes) this.note(one);
		return { failure, undo };
	}

	private failureOf(
		{ earlierUnknown }: Job,
		causes: IDataObject[],
		contents: string[],
	): InputFailure | undefined {
		const isOwn = causes.some(({ providerMessageId }) => this.sent.has(String(providerMessageId)));
		if (isOwn) return endlessLoop();
		// By hand, the same event may start the workflow several times.
		if (earlierUnknown || testModes.has(this.context.getMode())) return undefined;
		if (contents.some((one) => this.sentElsewhere(one))) return sameMessage();
		return causes.some((cause) => this.mayBeOwnText(cause)) ? textLoop() : undefined;
	}

	/** The messages whose events cause a job. The content of a campaign's chunk does not contain its values. */
	private causesOf(job: Job): IDataObject[] {
		if (!job.send || isChunk(job)) return [];
		return job.items
			.flatMap((item) => this.expressions.map((one) => this.evaluated(one, item)))
			.filter((one): one is IDataObject => isObject(one) && 'providerMessageId' in one)
			.filter(({ providerMessageId }) => isId(providerMessageId));
	}

	private mayBeOwnText({ templateName, type, to }: IDataObject): boolean {
		const isTemplate = Boolean(templateName) || type === 'template';
		const noted = isTemplate ? undefined : this.sentElsewhere(textTo(to));
		return noted !== undefined && Date.now() - noted.time < textWindow;
	}

	/** What another execution sent. */
	private sentElsewhere(key: string): Note | undefined {
		const noted = this.sent.get(key);
		return noted?.execution === this.context.getExecutionId() ? undefined : noted;
	}

	private note(key: string): void {
		this.sent.delete(key);
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

const onlyOthers =
	'Keep out the events of this message, e.g. with an If node on the template right after the trigger. If the workflow is meant to repeat itself, send in a sub-workflow.';

const unfiltered = (field: string) =>
	new InputFailure(
		`Only some of the items have the number of the event's message in their field ${shown(field)}`,
		'To send only to the recipient of that message, put a Filter node before this node. To send to the others on purpose, send in a sub-workflow.',
	);

const endlessLoop = () =>
	new InputFailure(
		'The event that started this execution belongs to a message that this node sent itself: each new message would start the workflow again',
		onlyOthers,
	);

const textLoop = () =>
	new InputFailure(
		'The event that started this execution may belong to the text that this node sent to this recipient less than 10 minutes ago: each new text would start the workflow again',
		onlyOthers,
	);

const sameMessage = () =>
	new InputFailure(
		'This node sent the same, or tried to, because of another event of the message',
		'Each event starts the workflow. In the trigger, select only the kind of event for which this node should send, e.g. message.failed.',
	);
