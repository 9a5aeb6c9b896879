import type { INodeProperties } from 'n8n-workflow';
import { endpoints, withoutEmpty } from '../../api/endpoints';
import { allowBlankParameters, checkTemplateBalance } from '../../parameters/options';
import { chatPhone, oneOf, requiredText, trimmed } from '../../parameters/schemas';
import {
	browserSession,
	imageUrlField,
	languageField,
	phoneField,
	templateNameField,
	numberField,
} from '../../parameters/sharedFields';
import { messageField } from '../../sendAndWait/fields';
import { asText } from '../../sendAndWait/message';
import { sendAndWait } from '../../sendAndWait/operation';
import { parameterFields, readParameters, readTemplate, templateCost } from './templateFields';
import { messageRecords } from './waitForStatus';

const kinds = ['text', 'template'] as const;

const sendAsField: INodeProperties = {
	displayName: 'Send As',
	name: 'sendAs',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Template',
			value: 'template',
			description:
				'An approved template. The links to answer are the values of its last placeholders: approve, then decline; or the one for a free text.',
		},
		{
			name: 'Text',
			value: 'text',
			description: 'A text through the browser session of the dashboard',
		},
	],
	default: 'text',
	description: 'How the question is sent',
};

const shownAs = (kind: (typeof kinds)[number], fields: INodeProperties[]): INodeProperties[] =>
	fields.map((field) => {
		const { displayOptions } = field;
		const show = { ...displayOptions?.show, sendAs: [kind] };
		return { ...field, displayOptions: { ...displayOptions, show } };
	});

/** POST /chat/send or /chat/send-template: a question with links to answer (docs/service.md, sections 4.4 and 4.5). */
export const sendMessageAndWait = sendAndWait({
	records: messageRecords,
	cost: ({ endpoint }) =>
		endpoint === endpoints.sendTemplate ? templateCost : { unit: 'chat credits', amount: null },
	action: 'Send a text message and wait for response',
	description:
		'Send an approved template, or a text through the browser session of the dashboard, and wait until the recipient answers',
	fields: [
		phoneField,
		sendAsField,
		...shownAs('text', [{ ...messageField, hint: browserSession }, imageUrlField]),
		...shownAs('template', [templateNameField, numberField, languageField, ...parameterFields]),
	],
	options: [allowBlankParameters, checkTemplateBalance].map((option) => ({
		...option,
		displayOptions: { show: { '/sendAs': ['template'] } },
	})),
	request: (read, links) => {
		const phone = read('phone', chatPhone(read.countryCodes));
		if (read('sendAs', oneOf(kinds)) === 'template') {
			const parameters = [...readParameters(read), ...links.map(({ url }) => url)];
			const body = { ...withoutEmpty({ phone, ...readTemplate(read) }), parameters };
			return { endpoint: endpoints.sendTemplate, body };
		}
		const message = asText({ message: read('message', requiredText), links });
		const body = withoutEmpty({ phone, message, file: read('imageUrl', trimmed) });
		return { endpoint: endpoints.sendText, body };
	},
});
