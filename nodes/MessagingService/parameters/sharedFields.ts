import { identity, omit, pick, size } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Read } from './read';
import { choiceField, flagField, numberField, requiredField, withToolDefault } from './fields';
import { choiceOf, fieldNames, flag, timestampIn, wholeNumber } from './schemas';

export const binaryField = requiredField('binaryPropertyName', 'Input Data Field Name', {
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'Type the name of the field with the file, as the input panel shows it under Binary',
});

/** The label of a recipient's phone number. n8n hides hints in Expression mode, so the label mentions the code. */
export const phoneLabel = 'Number with Country Code';

export const phoneField = requiredField('phone', phoneLabel, {
	placeholder: 'e.g. +447700900210',
	description: 'Number to send the message to, e.g. +447700900210 in the United Kingdom',
});

/**
 * A field to choose a result of a search in `listSearch/search.ts`, or to enter its ID. If `unchosen` is
 * given, the field is optional and shows this text while nothing is chosen.
 */
export const locatorField = (
	name: string,
	displayName: string,
	searchListMethod: string,
	settings: Pick<INodeProperties, 'description' | 'placeholder' | 'modes'> & { unchosen?: string },
): INodeProperties => ({
	displayName,
	name,
	description: settings.description,
	type: 'resourceLocator',
	...(settings.unchosen === undefined && { required: true }),
	default: { mode: 'list', value: '' },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: settings.unchosen ?? 'Choose one',
			typeOptions: {
				searchListMethod,
				searchable: true,
				slowLoadNotice: {
					message: "The list is slow to load. You can also choose 'By ID'.",
					timeout: 10_000,
				},
			},
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: settings.placeholder },
		...(settings.modes ?? []),
	],
});

/** The sending number: chosen from the account's numbers, by id or by phone number. */
export const sendingNumberField = locatorField('configId', 'Sending Number', 'searchNumbers', {
	description: 'Connected number to send from',
	placeholder: 'e.g. 5f0c1c9e-6a53-4d38-9e0e-0c7a3b1f2d44',
	unchosen: 'Default number',
	modes: [
		{
			displayName: 'By Phone Number',
			name: 'phoneNumber',
			type: 'string',
			placeholder: 'e.g. +447700900210',
		},
	],
});

/** `returnAll` and `limit`, as every list operation of n8n has them. */
export const listFields: INodeProperties[] = [
	flagField('returnAll', 'Return All', {
		description: 'Whether to return all results or only up to a given limit',
	}),
	numberField('limit', 'Limit', 50, {
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	}),
];

const outputs = {
	raw: ['Raw', 'All fields'],
	selectedFields: ['Selected Fields', 'Only the fields that you name'],
	simplified: ['Simplified', 'The fields that most workflows need'],
} as const;

/** Which fields of a record to return. A tool returns few, because an AI model pays for each. */
export const outputFields: INodeProperties[] = [
	...withToolDefault(
		choiceField('output', 'Output', outputs, 'raw', {
			description: 'Which fields of each record to return',
		}),
		'simplified',
	),
	requiredField('selectedFields', 'Fields', {
		placeholder: 'e.g. to, status',
		description: 'Names of the fields to return, separated by commas',
		displayOptions: { show: { output: ['selectedFields'] } },
	}),
];

/**
 * Returns a function that reduces a record to the fields to output; Simplified drops those in `leftOut`.
 * Throws InputFailure.
 */
export function outputSelection(
	read: Read,
	leftOut: string[],
): (record: IDataObject) => IDataObject {
	const output = read('output', choiceOf(outputs));
	if (output === 'raw') return identity;
	if (output === 'simplified') return (record) => omit(record, leftOut);
	const names = read('selectedFields', fieldNames.refine(size, 'is empty'));
	return (record) => pick(record, names);
}

const collection =
	(name: string, displayName: string, placeholder: string) =>
	(options: INodeProperties[]): INodeProperties => ({
		displayName,
		name,
		type: 'collection',
		placeholder,
		default: {},
		options,
	});

export const filtersField = collection('filters', 'Filters', 'Add Filter');

/** What is sent, but rarely filled in. */
export const additionalFields = collection('additionalFields', 'Additional Fields', 'Add Field');

/** How many records to read: Infinity for `returnAll`. */
export const readLimit = (read: Read): number =>
	read('returnAll', flag) ? Infinity : read('limit', wholeNumber(1));

/** The subtitle of a node: the label for the value of the expression `choice`. */
export const subtitleOf = (labels: Record<string, string>, choice: string): string =>
	`={{ (${JSON.stringify(labels)})[${choice}] }}`;

/** Reads a time range in milliseconds, both ends included and optional; throws InputFailure. */
export function readTimeRange(
	read: Read,
	from: string,
	to: string,
): { since?: number; until?: number } {
	const since = read(from, timestampIn(read.timeZone));
	const notBefore = timestampIn(read.timeZone).refine(
		(until) => since === undefined || until === undefined || since <= until,
		'is earlier than the start of the range',
	);
	return { since, until: read(to, notBefore) };
}
