import { endpoints } from '../../api/endpoints';
import { choiceField, shownWhere } from '../../parameters/fields';
import { allowBlankParameters, checkTemplateBalance } from '../../parameters/options';
import { choiceOf } from '../../parameters/schemas';
import {
	browserSession,
	imageUrlField,
	languageField,
	phoneField,
	templateNameField,
	sendingNumberField,
} from '../../parameters/sharedFields';
import { messageField } from '../../sendAndWait/fields';
import { sendAndWait } from '../../sendAndWait/operation';
import { asText } from '../../sendAndWait/page';
import { textCost, textRequest } from './send.operation';
import {
	parameterFields,
	readParameters,
	readTemplate,
	templateCost,
} from './sendTemplate.operation';
import { messageRecords } from './waitForStatus';

const kinds = {
	text: ['Text', 'A text through the browser session of the dashboard'],
	template: [
		'Template',
		'An approved template. The links to answer are the values of its last placeholders: approve, then decline; or the one for a free text.',
	],
} as const;

/** POST /chat/send or /chat/send-template: a question with links to answer (docs/service.md, sections 4.4 and 4.5). */
export const sendMessageAndWait = sendAndWait({
	records: messageRecords,
	cost: ({ endpoint }) => (endpoint === endpoints.sendTemplate ? templateCost : textCost),
	action: 'Send a text message and wait for response',
	description:
		'Send an approved template, or a text through the browser session of the dashboard, and wait until the recipient answers',
	fields: [
		phoneField,
		choiceField('sendAs', 'Send As', kinds, 'text', {
			noDataExpression: true,
			description: 'How the question is sent',
		}),
		...shownWhere({ sendAs: ['text'] }, [{ ...messageField, hint: browserSession }, imageUrlField]),
		...shownWhere({ sendAs: ['template'] }, [
			templateNameField,
			sendingNumberField,
			languageField,
			...parameterFields,
		]),
	],
	options: shownWhere({ '/sendAs': ['template'] }, [allowBlankParameters, checkTemplateBalance]),
	request: (read, links) => {
		if (read('sendAs', choiceOf(kinds)) === 'template') {
			const parameters = [...readParameters(read), ...links.map(({ url }) => url)];
			return { endpoint: endpoints.sendTemplate, body: { ...readTemplate(read), parameters } };
		}
		return textRequest(read, (message) => asText(message, links));
	},
});
