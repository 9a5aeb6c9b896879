// The values of a template's placeholders.

import { get, isPlainObject, map, memoize } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { choiceField, flagField, textField, withToolDefault } from '../../parameters/fields';
import type { Read } from '../../parameters/read';
import {
	anything,
	asText,
	choiceOf,
	converted,
	flag,
	isBlank,
	json,
	type Schema,
} from '../../parameters/schemas';
import { textProblem } from '../../parameters/shown';

const parameterModes = { fields: 'Using Fields Below', json: 'Using JSON' };

/** For operations that fill the placeholders of a template. */
export const allowBlankParameters = flagField('allowBlankParameters', 'Tolerate Blank Parameters', {
	description:
		'Whether placeholder values may be missing or blank. If off, items with such values are not sent.',
});

export const parameterFields: INodeProperties[] = [
	// In tools, the default is JSON: an AI model can fill one list for any number of placeholders.
	...withToolDefault(
		choiceField('parametersMode', 'Template Parameters', parameterModes, 'fields', {
			description:
				'How to enter the values of the placeholders. The first value is for {{1}}, the second for {{2}} and so on.',
		}),
		'json',
	),
	{
		displayName: 'Parameters',
		name: 'parametersUi',
		type: 'fixedCollection',
		typeOptions: {
			multipleValues: true,
			sortable: true,
			fixedCollection: { itemTitle: '={{ "{{" + ($collection.item.index + 1) + "}" + "}" }}' },
		},
		placeholder: 'Add Parameter',
		default: {},
		description: 'One value per placeholder, in the order {{1}}, {{2}} and so on',
		displayOptions: { show: { parametersMode: ['fields'] } },
		options: [
			{
				displayName: 'Parameter',
				name: 'parameter',
				values: [
					textField('value', 'Value', {
						placeholder: 'e.g. Anna (the first value is for {{1}})',
						description:
							"Value of one placeholder. Write a date as the recipient reads it, e.g. {{ DateTime.fromISO($json.visit).toFormat('d LLLL yyyy') }}.",
					}),
				],
			},
		],
	},
	textField('parametersJson', 'Parameters (JSON)', {
		type: 'json',
		default: '[]',
		placeholder: 'e.g. ["Anna", "12:30"]',
		description: 'JSON array with one value per placeholder',
		displayOptions: { show: { parametersMode: ['json'] } },
	}),
];

/** The values of the placeholders in their order; throws InputFailure. */
export function readParameters(read: Read): string[] {
	const allowBlank = read('options.allowBlankParameters', flag);
	const isJson = read('parametersMode', choiceOf(parameterModes)) === 'json';
	const schema = isJson ? textArray : parameterList;
	const name = isJson ? 'parametersJson' : 'parametersUi';
	return read(name, allowBlank ? schema : rejectBlanks(schema));
}

/** The values of placeholders; numbers become text. */
const placeholderValues = (schema: Schema<unknown[]>): Schema<string[]> =>
	converted(schema, (values, reject) =>
		values.map((value, index) => {
			const problem = textProblem(value ?? '');
			if (problem === undefined) return asText(value);
			return reject(problem, undefined, `Value ${index + 1}`);
		}),
	);

const textArray = placeholderValues(
	json(
		converted(anything, (value, reject) =>
			Array.isArray(value) ? value : reject('is not a JSON array like ["Anna", "12:30"]'),
		),
	),
);

/** Values of placeholders, of which none may be blank. */
const rejectBlanks = memoize((values: Schema<string[]>): Schema<string[]> =>
	converted(values, (all, reject) => {
		const blank = all.findIndex(isBlank);
		return blank === -1
			? all
			: reject(
					'is empty',
					"Fill it in, or turn on the option 'Tolerate Blank Parameters'.",
					`Value ${blank + 1}`,
				);
	}),
);

const parameterList = placeholderValues(
	converted(anything, (value, reject) => {
		const rows: unknown = isPlainObject(value || {}) ? get(value, 'parameter', []) : undefined;
		return Array.isArray(rows) && rows.every(isPlainObject)
			? map(rows, 'value')
			: reject('is not a list of rows with the field "value"');
	}),
);
