import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest } from '../../api/client';
import { endpoints, withoutEmpty } from '../../api/endpoints';
import { chatPhone, choiceOf, jsonObject, requiredName, trimmed } from '../../parameters/schemas';
import {
	languageField,
	phoneField,
	templateNameField,
	sendingNumberField,
} from '../../parameters/sharedFields';
import { allowBlankParameters, checkTemplateBalance } from '../../parameters/options';
import type { ItemOperation } from '../../operation';
import type { Read } from '../../parameters/read';
import { messageRecords, statusOptions, withStatus } from './waitForStatus';
import {
	headerFields,
	headers,
	parameterFields,
	readParameters,
	readTemplate,
	templateCost,
} from './templateFields';

/** POST /chat/send-template: one approved template, as JSON or multipart (docs/service.md, section 4.5). */
export const sendTemplate: ItemOperation = {
	kind: 'item',
	value: 'sendTemplate',
	name: 'Send Template',
	action: 'Send a template message',
	description: 'Send an approved template, with values for its placeholders and header',
	billable: true,
	records: messageRecords,
	cost: () => templateCost,
	fields: [
		phoneField,
		templateNameField,
		{
			...sendingNumberField,
			description: `${sendingNumberField.description}. Whether it counts for a message with a header file is not documented.`,
		},
		languageField,
		...parameterFields,
		...headerFields,
	],
	options: [allowBlankParameters, checkTemplateBalance, ...statusOptions],
	plan: async (read) => withStatus(read, { request: await requestOf(read) }),
};

async function requestOf(read: Read): Promise<ApiRequest> {
	const { sendTemplate: endpoint } = endpoints;
	const body: IDataObject = withoutEmpty({
		phone: read('phone', chatPhone(read.countryCodes)),
		...readTemplate(read),
	});
	const parameters = readParameters(read);
	const header = read('header', choiceOf(headers));
	if (header !== 'binary') {
		if (parameters.length > 0) body.parameters = parameters;
		if (header === 'json') body.headerParameters = read('headerParametersJson', jsonObject);
		return { endpoint, body };
	}
	const file = await read.file('binaryPropertyName');
	const fields = withoutEmpty({
		...(body as Record<string, string>),
		parameters: parameters.length > 0 ? JSON.stringify(parameters) : '',
		headerType: read('headerType', requiredName),
		headerFilename: read('headerFilename', trimmed) || file.fileName,
	});
	return { endpoint, form: { fields, file } };
}
