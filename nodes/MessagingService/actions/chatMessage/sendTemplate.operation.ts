import type { IDataObject } from 'n8n-workflow';
import { withoutEmpty, type ApiRequest } from '../../api/request';
import {
	chatPhone,
	jsonObject,
	parameterList,
	requiredName,
	textArray,
	trimmed,
} from '../../parameters/schemas';
import { languageField, phoneField, templateNameField } from '../../parameters/chatFields';
import { numberField, readNumber } from '../../parameters/numberField';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';
import type { Read } from '../../parameters/read';
import { headerFields, parameterFields } from './templateFields';

/** POST /chat/send-template: one approved template, as JSON or multipart (docs/service.md, section 4.5). */
export const sendTemplate: Operation = {
	value: 'sendTemplate',
	name: 'Send Template',
	action: 'Send a template message',
	description: 'Send an approved template, with values for its placeholders and header',
	billable: true,
	id: 'providerMessageId',
	fields: [
		phoneField,
		templateNameField,
		numberField,
		languageField,
		...parameterFields,
		...headerFields,
		optionsField({ billable: true }),
	],
	request: async (read) => {
		const base = withoutEmpty({
			phone: read('phone', 'Recipient Phone Number', chatPhone),
			templateName: read('templateName', 'Template Name', requiredName),
			configId: readNumber(read),
			language: read('language', 'Language', trimmed),
		});
		const parameters = readParameters(read);
		const header = read('header', 'Header', trimmed);
		if (header === 'binary') return await withFile(read, base, parameters);

		const body: IDataObject = { ...base };
		if (parameters.length > 0) body.parameters = parameters;
		if (header === 'json') {
			body.headerParameters = read(
				'headerParametersJson',
				'Header Parameters (JSON)',
				jsonObject,
			) as IDataObject;
		}
		return { method: 'POST', path: '/chat/send-template', body };
	},
};

async function withFile(
	read: Read,
	base: Record<string, string>,
	parameters: string[],
): Promise<ApiRequest> {
	const file = await read.file('binaryPropertyName');
	const fields = withoutEmpty({
		...base,
		parameters: parameters.length > 0 ? JSON.stringify(parameters) : '',
		headerType: read('headerType', 'Header Type', requiredName),
		headerFilename: read('headerFilename', 'Header File Name', trimmed) || file.fileName,
	});
	return { method: 'POST', path: '/chat/send-template', form: { fields, file } };
}

function readParameters(read: Read): string[] {
	return read('parametersMode', 'Template Parameters', trimmed) === 'json'
		? read('parametersJson', 'Parameters (JSON)', textArray)
		: read('parametersUi', 'Parameters', parameterList);
}
