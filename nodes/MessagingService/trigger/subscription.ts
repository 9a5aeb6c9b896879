import { castArray } from 'lodash';
import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { eventsField } from '../actions/webhook/operations';
import { flagField, numberField, textField } from '../parameters/fields';
import { triggerReader } from '../parameters/read';
import { choices, flag, trimmed, wholeNumber } from '../parameters/schemas';

const options: INodeProperties[] = [
	textField('fromNumbers', 'From Numbers', {
		default: [],
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Number' },
		placeholder: 'e.g. +919876543210',
		description: 'Only events of messages sent from these numbers',
	}),
	flagField('ignoreDuplicates', 'Ignore Duplicates', {
		default: true,
		description:
			'Whether an event that is delivered again starts no second execution. Holds within one n8n process, for its last 10,000 events.',
	}),
	numberField('maxAgeSeconds', 'Max Age (Seconds)', 0, {
		typeOptions: { minValue: 0 },
		description:
			'Reject events that are older, so that a recorded event cannot be sent again later. 0 accepts every age.',
	}),
	textField('templateNames', 'Template Names', {
		default: [],
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Template' },
		placeholder: 'e.g. order_update',
		description: 'Only events of messages made from these templates',
	}),
];

/** Where to look for what this trigger cannot hear (docs/service.md, sections 6.3 and 6.4). */
const otherEventsNotice: INodeProperties = {
	displayName:
		'Incoming messages and email delivery statuses go only to webhooks that you set up on the service\'s dashboard. Receive them with n8n\'s Webhook node, as the example "Webhooks of the dashboard" does. How balance events arrive is not documented; the polling trigger watches balances.',
	name: 'otherEventsNotice',
	type: 'notice',
	default: '',
};

/** Parameters of the webhook trigger. */
export const triggerFields: INodeProperties[] = [
	{ ...eventsField, required: true },
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

// An entry that is empty would let everything pass.
const filter = z.preprocess(
	(entered) => (typeof entered === 'string' ? entered.split(',') : castArray(entered)),
	z.array(
		trimmed.refine(
			(entry) => entry !== '',
			'has an entry that is empty, or an expression that gives nothing',
		),
	),
);

/** What the trigger is set to; throws InputFailure where that cannot be read. */
export function subscriptionOf(context: IWebhookFunctions | IHookFunctions) {
	const read = triggerReader(context, triggerFields);
	const fromNumbers = read('options.fromNumbers', filter);
	return {
		events: read(
			'events',
			choices.refine((all) => all.length > 0, 'has no choice'),
		),
		/** Template names to pass on; all if empty. */
		templateNames: read('options.templateNames', filter),
		/** Sending numbers to pass on, all if empty; what is no number passes nothing on. */
		fromNumbers: fromNumbers.map((number) => number.replace(/\D/g, '') || number),
		/** Seconds that an event may be old, or dated into the future; 0 accepts events of any age. */
		maxAgeSeconds: read('options.maxAgeSeconds', wholeNumber(0)),
		ignoreDuplicates: read('options.ignoreDuplicates', flag),
	};
}

export type Subscription = ReturnType<typeof subscriptionOf>;
