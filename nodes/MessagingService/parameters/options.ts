import type { INodeProperties } from 'n8n-workflow';
import { defaultTimeout } from '../api/client';
import { choiceField, flagField, noticeField, numberField, textField, wholeColumn } from './fields';

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
					description: 'How many requests are in flight at the same time',
				}),
				numberField('batchInterval', 'Batch Interval (ms)', 0, {
					typeOptions: { minValue: 0 },
					description:
						'How long to wait between batches. 0 starts the next request as soon as one ends.',
				}),
			],
		},
	],
};

const timeout = numberField('timeout', 'Timeout (Milliseconds)', defaultTimeout, {
	description: 'How long to wait for each response',
});

const resendUnknown = flagField('resendUnknown', 'Try Again If Uncertain', {
	description:
		'Whether a retry resends messages whose outcome is uncertain. They may already have been delivered, so check first.',
});

const idempotencyKey = textField('idempotencyKey', 'Send Only Once per Key', {
	placeholder: 'e.g. {{ $json.orderId }} {{ $json.status }}',
	description:
		'Idempotency key: a text that identifies what is sent, e.g. an order number and its status. The node never sends twice with the same key, even in a new execution: a repeat only returns <code>alreadySent</code>. It remembers its last 10,000 keys; a copy of the node has none of them.',
});

const simulate = choiceField(
	'simulate',
	'Simulate',
	{
		never: ['Send Always', 'Everything is sent'],
		notInProduction: [
			'Send in Production Only',
			'A published workflow sends. Manual runs, drafts and the AI Assistant of n8n send nothing. Cannot be used in sub-workflows.',
		],
		always: ['Send Nothing', 'Nothing is ever sent'],
	},
	'notInProduction',
	{
		description:
			"Whether to check everything and return the request instead of sending it. This costs nothing and reaches nobody. To send, remove the option or choose 'Send Always'. If an AI model fills this option, nothing is sent.",
	},
);

const howToEnterRecipients =
	'Enter numbers with country code, email addresses or domains (@host.example), separated by commas or line breaks, or an expression that returns a list.';

const allowedRecipients = textField('allowedRecipients', 'Allowed Recipients', {
	typeOptions: { rows: 2 },
	placeholder: 'e.g. +14155550100, anna@host.example',
	description: `The only recipients that this node sends to; an item with any other recipient fails. ${howToEnterRecipients} If it is empty, or an AI model fills it, nothing is sent.`,
});

const excludedRecipients = textField('excludedRecipients', 'Excluded Recipients', {
	typeOptions: { rows: 2 },
	placeholder: 'e.g. +14155550100, anna@host.example',
	description: `Recipients who have opted out. Nothing is sent to them, and their items are returned as excluded. ${howToEnterRecipients} A number excludes all numbers with the same last eight digits.`,
});

const maxSends = numberField('maxSends', 'Max Sends per Execution', 100, {
	description:
		'Maximum number of recipients of this node, across all loops and agent calls of an execution. Each recipient of an email counts. Further sends fail. If an AI model fills this option, nothing is sent.',
});

/** Options that protect money and people. */
const guards = [allowedRecipients, excludedRecipients, maxSends, simulate];

/** The parameters that an AI model can never fill (docs/contract.md, section 4.1). */
export const guardNames: ReadonlySet<string> = new Set(guards.map(({ name }) => `options.${name}`));

export const checkedBalance = 'Whether to send only if the balance covers the whole run';

/** For operations with one price, e.g. "1 chat credit per message". */
export const checkBalance = (price: string): INodeProperties =>
	flagField('checkBalance', 'Check Balance', {
		default: true,
		description: `${checkedBalance}, at ${price}`,
	});

export const toolNotice = noticeField(
	'toolNotice',
	"If the model fills in the recipient, add 'Allowed Recipients' and 'Max Sends per Execution' under Options. The model does not see them: also name the recipients in the agent's instructions.",
	{
		displayOptions: {
			show: { '@tool': [true] },
			hide: { 'options.allowedRecipients': [{ _cnd: { exists: true } }] },
		},
	},
);

export const optOutsNotice = noticeField(
	'optOutsNotice',
	`To exclude everybody in a table, use <code>${wholeColumn}</code> with the names of your node and column. In that node, turn on <b>Return All</b> and, under Settings, <b>Always Output Data</b>. Place that node before the one that reads the recipients, and turn on <b>Execute Once</b> in the latter.`,
	// As soon as the option is added.
	{ displayOptions: { show: { 'options.excludedRecipients': [{ _cnd: { startsWith: '' } }] } } },
);

/**
 * The collection `options` of an operation; `batching` is false if all items share one request. n8n requires
 * alphabetical order and shows eight entries at first, so labels of rarely needed options come late in it.
 */
export function optionsField({
	billable = false,
	batching: batched = true,
	extra = [],
}: { billable?: boolean; batching?: boolean; extra?: INodeProperties[] } = {}): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			...extra,
			...(batched ? [batching] : []),
			...(billable ? [...guards, idempotencyKey, resendUnknown] : []),
			timeout,
		].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}
