import type { INodeProperties } from 'n8n-workflow';
import { defaultTimeout } from '../api/client';

const batching: INodeProperties = {
	displayName: 'Batching',
	name: 'batching',
	type: 'fixedCollection',
	placeholder: 'Add Batching',
	default: { batch: {} },
	options: [
		{
			displayName: 'Batching',
			name: 'batch',
			values: [
				{
					displayName: 'Requests at Once',
					name: 'batchSize',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: 5,
					description: 'How many items are sent or asked for at the same time',
				},
				{
					displayName: 'Batch Interval (Milliseconds)',
					name: 'batchInterval',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 0,
					description:
						'How long to wait between batches. 0 starts the next request as soon as one ends.',
				},
			],
		},
	],
};

const timeout: INodeProperties = {
	displayName: 'Request Timeout (Milliseconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: defaultTimeout,
	description: 'How long one request may take before the node gives it up',
};

const resendUnknown: INodeProperties = {
	displayName: 'Send Again If Unsure',
	name: 'resendUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether a retry sends again what may have been sent before, because no answer came. Find out first: a message could arrive twice.',
};

/** For operations that fill the placeholders of a template. */
export const allowBlankParameters: INodeProperties = {
	displayName: 'Allow Blank Parameters',
	name: 'allowBlankParameters',
	type: 'boolean',
	default: false,
	description:
		'Whether the value of a placeholder may be missing, empty or only spaces. If off, that is a mistake of the item, and nothing is sent for it.',
};

const idempotencyKey: INodeProperties = {
	displayName: 'Send Only Once per Key',
	name: 'idempotencyKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'An idempotency key: a text that names what is sent, e.g. the number of an order. What was sent with a key is not sent with it again, also by Execute step and new executions: the item comes out as already sent. The last 10,000 keys of this node count.',
};

const simulate: INodeProperties = {
	displayName: 'Simulate',
	name: 'simulate',
	type: 'options',
	options: [
		{ name: 'Send Always', value: 'never', description: 'Everything is sent' },
		{
			name: 'Send in Production Only',
			value: 'notInProduction',
			description:
				'Runs that you start by hand send nothing; a published workflow sends. Not for sub-workflows.',
		},
		{ name: 'Send Nothing', value: 'always', description: 'Nothing is ever sent' },
	],
	default: 'notInProduction',
	description:
		'Whether to check everything and show the request instead of sending it. It costs nothing and reaches nobody.',
};

const maxSends: INodeProperties = {
	displayName: 'Max Sends',
	name: 'maxSends',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 100,
	description:
		'How many this node sends in one execution at most, in all rounds of a loop and calls of an agent together. What is beyond is not sent.',
};

const balanceCheck = {
	displayName: 'Check Balance',
	name: 'checkBalance',
	description: 'Whether to send nothing if the balance does not cover all that the run is to send',
};

/** For operations with one price. */
export const checkBalance: INodeProperties = { ...balanceCheck, type: 'boolean', default: true };

/** For operations whose price depends on the template. */
export const checkTemplateBalance: INodeProperties = {
	...balanceCheck,
	type: 'options',
	options: [
		{
			name: 'For Marketing Templates',
			value: 'marketing',
			description: '3 credits per message',
		},
		{ name: 'For Utility Templates', value: 'utility', description: '1 credit per message' },
		{ name: 'No', value: 'none' },
	],
	default: 'none',
};

/** Which of the common options an operation has. */
interface OptionsWanted {
	billable?: boolean;
	/** False where one request goes out for all items. */
	batching?: boolean;
	own?: INodeProperties[];
}

/** The collection `options` of an operation. */
export function optionsField({
	billable = false,
	batching: batched = true,
	own = [],
}: OptionsWanted = {}): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			...own,
			...(batched ? [batching] : []),
			...(billable ? [idempotencyKey, maxSends, resendUnknown, simulate] : []),
			timeout,
		].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}
