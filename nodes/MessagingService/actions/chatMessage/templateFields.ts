import type { INodeProperties } from 'n8n-workflow';
import { choiceField, shownWhere, textField } from '../../parameters/fields';
import type { Read } from '../../parameters/read';
import {
	flag,
	choiceOf,
	parameterList,
	requiredName,
	textArray,
	trimmed,
	withoutBlanks,
	sendingNumber,
} from '../../parameters/schemas';
import { binaryField } from '../../parameters/sharedFields';

/** What a message made from a template costs (docs/service.md, section 8.2). */
export const templateCost = { unit: 'chat credits', marketing: 3, utility: 1 };

const parameterModes = { fields: 'Using Fields Below', json: 'Using JSON' };

/** Values of the template's placeholders. */
export const parameterFields: INodeProperties[] = [
	choiceField('parametersMode', 'Template Parameters', parameterModes, 'fields', {
		description: 'How to give the values of the placeholders',
		hint: 'The first value is for {{1}}, the second for {{2}} and so on',
	}),
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
				values: [textField('value', 'Value', { placeholder: 'e.g. Anna' })],
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

/** Where the header of a template comes from. */
export const headers = {
	none: ['None', 'The template has no header to fill'],
	json: ['JSON', 'A header configuration as the service takes it'],
	binary: [
		'File',
		'A file of the input item. Whether the sending number counts then is not documented.',
	],
} as const;

/** The template's header. */
export const headerFields: INodeProperties[] = [
	choiceField('header', 'Header', headers, 'none', {
		description: 'What to fill the header of the template with',
	}),
	textField('headerParametersJson', 'Header Parameters (JSON)', {
		type: 'json',
		default: '{}',
		description:
			'JSON object with the media or text of the header, passed on as it is: the service does not document its structure',
		displayOptions: { show: { header: ['json'] } },
	}),
	...shownWhere({ header: ['binary'] }, [
		binaryField,
		textField('headerType', 'Header Type', {
			required: true,
			default: 'document',
			placeholder: 'e.g. document',
			description:
				'Kind of the header file as the template defines it, such as image or video. The service documents only document.',
		}),
		textField('headerFilename', 'Header File Name', {
			placeholder: 'e.g. invoice.pdf',
			description: 'File name that the recipient sees. The name of the file is used if empty.',
		}),
	]),
];

/** The template, the number it is sent from and its language; throws InputFailure. */
export const readTemplate = (read: Read) => ({
	templateName: read('templateName', requiredName),
	configId: read('configId', sendingNumber),
	language: read('language', trimmed),
});

const filledArray = withoutBlanks(textArray);

const filledList = withoutBlanks(parameterList);

/** The values of the placeholders; throws InputFailure. */
export function readParameters(read: Read): string[] {
	const allowBlank = read('options.allowBlankParameters', flag);
	return read('parametersMode', choiceOf(parameterModes)) === 'json'
		? read('parametersJson', allowBlank ? textArray : filledArray)
		: read('parametersUi', allowBlank ? parameterList : filledList);
}
