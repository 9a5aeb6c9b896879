import type { INodeProperties } from 'n8n-workflow';
import { defaultTimeout } from '../api/client';
import { choiceField, flagField, numberField, textField } from './fields';

const batching: INodeProperties = {
	displayName: 'Throttling',
	name: 'batching',
	type: 'fixedCollection',
	placeholder: 'Add Throttling',
	default: { batch: {} },
	options: [
		{
			displayName: 'Throttling',
			name: 'batch',
			values: [
				numberField('batchSize', 'Requests at Once', 5, {
					description: 'How many items are sent or asked for at the same time',
				}),
				numberField('batchInterval', 'Batch Interval (Milliseconds)', 0, {
					typeOptions: { minValue: 0 },
					description:
						'How long to wait between batches. 0 starts the next request as soon as one ends.',
				}),
			],
		},
	],
};

const timeout = numberField('timeout', 'Timeout (Milliseconds)', defaultTimeout, {
	description: 'How long one request may take before the node gives it up',
});

const resendUnknown = flagField('resendUnknown', 'Try Again If Uncertain', {
	description:
		'Whether a retry resends messages that got no response. They may already have been delivered, so check first.',
});

/** For operations that fill the placeholders of a template. */
export const allowBlankParameters = flagField('allowBlankParameters', 'Tolerate Blank Parameters', {
	description:
		'Whether the value of a placeholder may be missing, empty or only spaces. If off, the item fails and nothing is sent for it.',
});

const idempotencyKey = textField('idempotencyKey', 'Send Only Once per Key', {
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'An idempotency key: a text that names what is sent, e.g. the number of an order. What was sent with a key is not sent with it again, also by Execute step and new executions: the item comes out as already sent. The last 10,000 keys of this node count.',
});

const simulate = choiceField(
	'simulate',
	'Simulate',
	{
		never: ['Send Always', 'Everything is sent'],
		notInProduction: [
			'Send in Production Only',
			'Runs that you start by hand send nothing; a published workflow sends. Not for sub-workflows.',
		],
		always: ['Send Nothing', 'Nothing is ever sent'],
	},
	'notInProduction',
	{
		description:
			'Whether to check everything and show the request instead of sending it. It costs nothing and reaches nobody. To send, remove the option or choose Send Always.',
	},
);

const listed =
	'Phone numbers with country code, email addresses, or domains such as @host.example: separated by commas or lines, or as a list that an expression returns.';

const allowedRecipients = textField('allowedRecipients', 'Allowed Recipients', {
	typeOptions: { rows: 2 },
	placeholder: 'e.g. +14155550100, anna@host.example',
	description: `Only these recipients can be reached; any other recipient makes the item fail. ${listed} If it is empty, nobody can be reached. A model can never fill it.`,
});

const excludedRecipients = textField('excludedRecipients', 'Excluded Recipients', {
	typeOptions: { rows: 2 },
	placeholder: 'e.g. +14155550100, anna@host.example',
	description: `Recipients who have opted out. An item to one of them is not sent and comes out with <code>excluded: true</code>. ${listed}`,
});

const maxSends = numberField('maxSends', 'Max Sends', 100, {
	description:
		'How many this node sends in one execution at most, in all rounds of a loop and calls of an agent together. What is beyond is not sent. A model can never fill it.',
});

/** For operations with one price. */
export const checkBalance = flagField('checkBalance', 'Check Balance', {
	default: true,
	description: 'Whether to send nothing if the balance does not cover all that the run is to send',
});

/** For operations whose price depends on the template. */
export const checkTemplateBalance = choiceField(
	checkBalance.name,
	checkBalance.displayName,
	{
		marketing: ['For Marketing Templates', '3 credits per message'],
		utility: ['For Utility Templates', '1 credit per message'],
		none: 'No',
	},
	'none',
	{ description: checkBalance.description },
);

/**
 * The collection `options` of an operation; `batching` is false where one request goes out for all items.
 * n8n wants alphabetical order and shows eight entries without scrolling, so labels of options that few
 * people need come late in the alphabet.
 */
export function optionsField({
	billable = false,
	batching: batched = true,
	own = [],
}: { billable?: boolean; batching?: boolean; own?: INodeProperties[] } = {}): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			...own,
			...(batched ? [batching] : []),
			...(billable
				? [allowedRecipients, excludedRecipients, idempotencyKey, maxSends, resendUnknown, simulate]
				: []),
			timeout,
		].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}
