import { size } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { withoutEmpty, type ApiRequest } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import type { ItemOperation } from '../../operation';
import { choiceField, requiredField, shownWhere, textField } from '../../parameters/fields';
import { checkedBalance } from '../../parameters/options';
import type { Read } from '../../parameters/read';
import {
	chatPhone,
	choiceOf,
	json,
	languageCode,
	objectSchema,
	requiredName,
	sendingNumber,
	trimmed,
} from '../../parameters/schemas';
import {
	additionalFields,
	binaryField,
	phoneField,
	sendingNumberField,
} from '../../parameters/sharedFields';
import { allowBlankParameters, parameterFields, readParameters } from './templateParameters';
import { messageRecords, statusOption, withStatus } from './waitForStatus';

/** The cost of a template message (docs/service.md, section 8.2). */
export const templateCost = { unit: 'chat credits', marketing: 3, utility: 1 };

export const checkTemplateBalance = choiceField(
	'checkBalance',
	'Check Balance',
	{
		marketing: ['Marketing Templates', '3 credits per message'],
		utility: ['Utility Templates', '1 credit per message'],
		none: 'No',
	},
	'marketing',
	{ description: checkedBalance },
);

export const templateNameField = requiredField('templateName', 'Template Name', {
	placeholder: 'e.g. order_update',
	description: 'Name of an approved template',
});

export const languageField = textField('language', 'Language', {
	default: 'en',
	placeholder: 'e.g. en',
	description: 'Language code of the template',
});

/** The recipient, name, sending number and language of a template; throws InputFailure. */
const readTemplate = (read: Read): Record<string, string> =>
	withoutEmpty({
		phone: read('phone', chatPhone(read.account.countryCodes)),
		templateName: read('templateName', requiredName),
		configId: read('additionalFields.configId', sendingNumber),
		language: read('additionalFields.language', languageCode),
	});

const headerObject = json(objectSchema('is not a JSON object').refine(size, 'is empty'));

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
		if (header === 'json') body.headerParameters = read('headerParametersJson', headerObject);
		return { endpoint, body };
	}
	const file = await read.file('binaryPropertyName');
	const fields = withoutEmpty({
		...template,
		parameters: parameters.length > 0 ? JSON.stringify(parameters) : '',
		headerType: read('headerType', requiredName),
		headerFilename: read('headerFilename', trimmed) || file.fileName,
	});
	return { endpoint, form: { fields, file } };
}
