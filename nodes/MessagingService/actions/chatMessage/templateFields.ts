import type { INodeProperties } from 'n8n-workflow';
import type { Read } from '../../parameters/read';
import {
	flag,
	oneOf,
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

/** Values of the template's placeholders. */
export const parameterFields: INodeProperties[] = [
	{
		displayName: 'Template Parameters',
		name: 'parametersMode',
		type: 'options',
		options: [
			{ name: 'Using Fields Below', value: 'fields' },
			{ name: 'Using JSON', value: 'json' },
		],
		default: 'fields',
		description: 'How to give the values of the placeholders',
		hint: 'The first value is for {{1}}, the second for {{2}} and so on',
	},
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
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. Anna',
					},
				],
			},
		],
	},
	{
		displayName: 'Parameters (JSON)',
		name: 'parametersJson',
		type: 'json',
		default: '[]',
		placeholder: 'e.g. ["Anna", "12:30"]',
		description: 'JSON array with one value per placeholder',
		displayOptions: { show: { parametersMode: ['json'] } },
	},
];

/** The template's header. */
export const headerFields: INodeProperties[] = [
	{
		displayName: 'Header',
		name: 'header',
		type: 'options',
		options: [
			{
				name: 'File',
				value: 'binary',
				description:
					'A file of the input item. Whether the sending number counts then is not documented.',
			},
			{
				name: 'JSON',
				value: 'json',
				description: 'A header configuration as the service takes it',
			},
			{ name: 'None', value: 'none', description: 'The template has no header to fill' },
		],
		default: 'none',
		description: 'What to fill the header of the template with',
	},
	{
		displayName: 'Header Parameters (JSON)',
		name: 'headerParametersJson',
		type: 'json',
		default: '{}',
		description:
			'JSON object with the media or text of the header, passed on as it is: the service does not document its structure',
		displayOptions: { show: { header: ['json'] } },
	},
	{ ...binaryField, displayOptions: { show: { header: ['binary'] } } },
	{
		displayName: 'Header Type',
		name: 'headerType',
		type: 'options',
		// Workflows may hold any text here: the service names one kind and does not say which others it knows.
		allowArbitraryValues: true,
		options: [
			{ name: 'Document', value: 'document' },
			{ name: 'Image', value: 'image' },
			{ name: 'Other', value: 'other', description: 'A kind that you type' },
			{ name: 'Video', value: 'video' },
		],
		default: 'document',
		description:
			'Kind of the header file as the template defines it. The service documents only Document.',
		displayOptions: { show: { header: ['binary'] } },
	},
	{
		displayName: 'Other Header Type',
		name: 'otherHeaderType',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. document',
		description: 'Kind of the header file as the template defines it',
		displayOptions: { show: { header: ['binary'], headerType: ['other'] } },
	},
	{
		displayName: 'Header File Name',
		name: 'headerFilename',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice.pdf',
		description: 'File name that the recipient sees. The name of the file is used if empty.',
		displayOptions: { show: { header: ['binary'] } },
	},
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
	return read('parametersMode', oneOf(['fields', 'json'] as const)) === 'json'
		? read('parametersJson', allowBlank ? textArray : filledArray)
		: read('parametersUi', allowBlank ? parameterList : filledList);
}
