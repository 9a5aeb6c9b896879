import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { withoutEmpty, type ApiRequest } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import type { ItemOperation } from '../../operation';
import {
	choiceField,
	requiredField,
	shownWhere,
	textField,
	withToolDefault,
} from '../../parameters/fields';
import { allowBlankParameters, checkTemplateBalance } from '../../parameters/options';
import type { Read } from '../../parameters/read';
import {
	chatPhone,
	choiceOf,
	flag,
	jsonObject,
	languageCode,
	oneLine,
	parameterList,
	requiredName,
	sendingNumber,
	textArray,
	rejectBlanks,
} from '../../parameters/schemas';
import {
	additionalFields,
	binaryField,
	phoneField,
	sendingNumberField,
} from '../../parameters/sharedFields';
import { messageRecords, statusOption, withStatus } from './waitForStatus';

/** The cost of a template message (docs/service.md, section 8.2). */
export const templateCost = { unit: 'chat credits', marketing: 3, utility: 1 };

const parameterModes = { fields: 'Using Fields Below', json: 'Using JSON' };

export const templateNameField = requiredField('templateName', 'Template Name', {
	placeholder: 'e.g. order_update',
	description: 'Name of an approved template',
});

export const languageField = textField('language', 'Language', {
	default: 'en',
	placeholder: 'e.g. en',
	description: 'Language code of the template',
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

function readParameters(read: Read): string[] {
	const allowBlank = read('options.allowBlankParameters', flag);
	const isJson = read('parametersMode', choiceOf(parameterModes)) === 'json';
	const schema = isJson ? textArray : parameterList;
	const name = isJson ? 'parametersJson' : 'parametersUi';
	return read(name, allowBlank ? schema : rejectBlanks(schema));
}

/** The recipient, name, sending number and language of a template; throws InputFailure. */
const readTemplate = (read: Read): Record<string, string> =>
	withoutEmpty({
		phone: read('phone', chatPhone(read.account.countryCodes)),
		templateName: read('templateName', requiredName),
		configId: read('additionalFields.configId', sendingNumber),
		language: read('additionalFields.language', languageCode),
	});

const headers = {
	none: ['None', 'The template has no header to fill'],
	json: ['JSON', 'A header configuration in the format of the service'],
	binary: ['File', 'A file of the input item'],
} as const;

export const headerFields: INodeProperties[] = [
	choiceField('header', 'Header', headers, 'none', {
		description:
			"What to fill the header of the template with. To use a media URL or media ID, choose 'Bulk Campaign > Create' with one recipient.",
	}),
	textField('headerParametersJson', 'Header Parameters (JSON)', {
		type: 'json',
		default: '{}',
		description:
			'JSON object with the media or text of the header, sent unchanged: its structure is not documented',
		displayOptions: { show: { header: ['json'] } },
	}),
	...shownWhere({ header: ['binary'] }, [
		binaryField,
		requiredField('headerType', 'Header Type', {
			default: 'document',
			placeholder: 'e.g. document',
			description: 'Type of the header. Only "document" is documented.',
		}),
		textField('headerFilename', 'Header File Name', {
			placeholder: 'e.g. invoice.pdf',
			description: 'Name to send with the header file. If empty, the name of the file is used.',
		}),
	]),
];

export const templateNumberField: INodeProperties = {
	...sendingNumberField,
	description:
		'Connected number to send from. If Header is File, the service may use the default number: this is not documented.',
};

/** POST /chat/send-template: one approved template, as JSON or multipart (docs/service.md, section 4.5). */
export const sendTemplate: ItemOperation = {
	kind: 'item',
	value: 'sendTemplate',
	action: 'Send template message',
	description: 'Send an approved template, with values for its placeholders and header',
	billable: true,
	recordLookUp: messageRecords,
	cost: () => templateCost,
	fields: [
		phoneField,
		templateNameField,
		...parameterFields,
		...headerFields,
		additionalFields([languageField, templateNumberField]),
	],
	options: [allowBlankParameters, checkTemplateBalance, statusOption],
	plan: async (read) => withStatus(read, { request: await templateRequest(read) }),
};

/** The request that sends a template, with `further` values after those of the user; throws InputFailure. */
export async function templateRequest(read: Read, further: string[] = []): Promise<ApiRequest> {
	const { sendTemplate: endpoint } = endpoints;
	const template = readTemplate(read);
	const parameters = [...readParameters(read), ...further];
	const header = read('header', choiceOf(headers));
	if (header !== 'binary') {
		const body: IDataObject = { ...template };
		if (parameters.length > 0) body.parameters = parameters;
		if (header === 'json') body.headerParameters = read('headerParametersJson', jsonObject);
		return { endpoint, body };
	}
	const file = await read.file('binaryPropertyName');
	const fields = withoutEmpty({
		...template,
		parameters: parameters.length > 0 ? JSON.stringify(parameters) : '',
		headerType: read('headerType', requiredName),
		headerFilename: read('headerFilename', oneLine) || file.fileName,
	});
	return { endpoint, form: { fields, file } };
}
