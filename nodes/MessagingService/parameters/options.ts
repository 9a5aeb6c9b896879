import type { INodeProperties } from 'n8n-workflow';
import { defaultTimeout } from '../api/request';

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
					description: 'How many requests are in flight at once',
				},
				{
					displayName: 'Batch Interval (Ms)',
					name: 'batchInterval',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 0,
					description:
						'Milliseconds to wait between batches. 0 starts the next request as soon as one ends.',
				},
			],
		},
	],
};

const timeout: INodeProperties = {
	displayName: 'Timeout (Ms)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: defaultTimeout,
	description: 'Milliseconds to wait for the answer to a request',
};

const resendUnknown: INodeProperties = {
	displayName: 'Resend Unknown',
	name: 'resendUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether a retry sends again what may already have been sent, because no answer came. Find out first: a message could arrive twice.',
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
			...(billable ? [resendUnknown] : []),
			timeout,
		].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}
