import { castArray, isNumber, size } from 'lodash';
import {
	jsonParse,
	type IDataObject,
	type IHookFunctions,
	type INodeProperties,
	type IWebhookFunctions,
} from 'n8n-workflow';
import { z } from 'zod';
import { eventsField } from '../actions/webhook/operations';
import { isJsonObject, textOf } from '../api/response';
import { timeOf } from '../api/times';
import { flagField, noticeField, numberField, textField } from '../parameters/fields';
import { triggerReader } from '../parameters/read';
import { choices, flag, trimmed, wholeNumber } from '../parameters/schemas';

const numbersField = (name: string, displayName: string, description: string) =>
	textField(name, displayName, {
		default: [],
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Number' },
		placeholder: 'e.g. +14155550100',
		description,
	});

const options: INodeProperties[] = [
	numbersField('fromNumbers', 'From Numbers', 'Only events of messages sent from these numbers'),
	flagField('ignoreDuplicates', 'Ignore Duplicates', {
		default: true,
		description:
			'Whether to ignore an event that is delivered again. Works within one n8n process, for its last 10,000 events.',
	}),
	flagField('ignoreOwnMessages', 'Ignore Own Messages', {
		default: true,
		description:
			'Whether to ignore events of templates that this workflow sent because of an event. Recognizes the last 10,000 of the same n8n process, but no texts, media or campaigns. To end every such loop, use Send Only Once per Key in the node that sends, e.g. with recipient and kind. Turn it off for chains of messages.',
	}),
	numberField('maxAgeSeconds', 'Max Age (Seconds)', 0, {
		typeOptions: { minValue: 0 },
		description:
			'Rejects events older than this, so that nobody can replay a recorded event later. 0 accepts every age.',
	}),
	textField('templateNames', 'Template Names', {
		default: [],
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Template' },
		placeholder: 'e.g. order_update',
		description: 'Only events of messages made from these templates',
	}),
	numbersField('toNumbers', 'To Numbers', 'Only events of messages sent to these numbers'),
];

/** Where to receive events that this trigger does not get (docs/service.md, sections 6.3 and 6.4). */
const otherEventsNotice = noticeField(
	'otherEventsNotice',
	'For incoming messages and email statuses, use Messaging Service Dashboard Trigger.',
);

export const triggerFields: INodeProperties[] = [
	{
		...eventsField,
		displayName: 'Trigger On',
		description: undefined,
		hint: 'Ignores events of its own templates within one n8n process, but not of its own texts, media and campaigns',
		required: true,
	},
	otherEventsNotice,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	},
];

// An empty entry would match absent values.
const filter = z.preprocess(
	(entered) => (typeof entered === 'string' ? entered.split(',') : castArray(entered)),
	z.array(
		trimmed.refine(
			(entry) => entry !== '',
			'has an empty entry, or an expression that returns nothing',
		),
	),
);

export function subscriptionOf(context: IWebhookFunctions | IHookFunctions) {
	const read = triggerReader(context, triggerFields);
	// An entry without digits is kept as it is, so that it matches no event.
	const numbers = (name: string) =>
		read(name, filter).map((number) => number.replace(/\D/g, '') || number);
	return {
		events: read('events', choices.refine(size, 'is empty: select at least one')),
		/** Only events of these templates are passed on; all events if empty. */
		templateNames: read('options.templateNames', filter).map((name) => name.toLowerCase()),
		/** Only events of messages from these numbers are passed on; all events if empty. */
		fromNumbers: numbers('options.fromNumbers'),
		/** Only events of messages to these numbers are passed on; all events if empty. */
		toNumbers: numbers('options.toNumbers'),
		/** Maximum seconds between event and now, before or after; 0 accepts every age. */
		maxAgeSeconds: read('options.maxAgeSeconds', wholeNumber(0)),
		ignoreDuplicates: read('options.ignoreDuplicates', flag),
		ignoreOwnMessages: read('options.ignoreOwnMessages', flag),
	};
}

export type Subscription = ReturnType<typeof subscriptionOf>;

/** The payload for a new execution, or only a response to the delivery. */
type Judgement =
	/** `messageId` is empty if the event has none, or a rounded one. */
	{ payload: IDataObject; messageId: string } | { status: number; body: IDataObject };

const ignored = (reason: string): Judgement => ({ status: 200, body: { ignored: reason } });
const rejected = (reason: string): Judgement => ({ status: 400, body: { error: reason } });

/**
 * Judges a delivery whose signature has been verified (docs/contract.md, section 6.4). Only `event` is
 * required, and other fields may be invalid. `now` is in milliseconds since 1970.
 */
export function judgeEvent(
	rawBody: Uint8Array,
	subscription: Subscription,
	now: number,
): Judgement {
	const payload = jsonParse<unknown>(new TextDecoder().decode(rawBody), { fallbackValue: null });
	if (!isJsonObject(payload) || typeof payload.event !== 'string' || payload.event === '') {
		return rejected('The body is not a JSON object with an event');
	}
	const { event, timestamp } = payload;
	const { providerMessageId, from, to, templateName } = isJsonObject(payload.data)
		? payload.data
		: {};
	const { maxAgeSeconds, events, templateNames, fromNumbers, toNumbers } = subscription;

	if (!events.includes(event)) return ignored(`Not subscribed to ${event}`);
	if (
		!passes(templateNames, textOf(templateName).toLowerCase()) ||
		!passes(fromNumbers, textOf(from).replace(/\D/g, '')) ||
		!passes(toNumbers, textOf(to).replace(/\D/g, ''))
	)
		return ignored('Filtered out');
	// An event without a valid time may be old, and one dated into the future would never become too old.
	if (maxAgeSeconds > 0 && !(Math.abs(now - timeOf(timestamp)) <= maxAgeSeconds * 1_000)) {
		return rejected(
			`The timestamp differs from the current time by more than ${maxAgeSeconds} seconds, or cannot be read`,
		);
	}
	// A number that JavaScript has rounded could be the ID of several messages.
	const isRounded = isNumber(providerMessageId) && !Number.isSafeInteger(providerMessageId);
	return { payload, messageId: isRounded ? '' : textOf(providerMessageId) };
}

const passes = (wanted: string[], value: string): boolean =>
	wanted.length === 0 || wanted.includes(value);
