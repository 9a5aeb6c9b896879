import { withoutEmpty } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import type { ItemOperation } from '../../operation';
import { choiceField, requiredField, shownWhere, textField } from '../../parameters/fields';
import type { Read } from '../../parameters/read';
import { chatPhone, choiceOf, filesFor, requiredText } from '../../parameters/schemas';
import { phoneField } from '../../parameters/sharedFields';
import { messageField } from '../../sendAndWait/fields';
import { sendAndWait } from '../../sendAndWait/operation';
import { asPlainText } from '../../sendAndWait/page';
import {
	checkTemplateBalance,
	headerFields,
	languageField,
	templateCost,
	templateNameField,
	templateNumberField,
	templateRequest,
} from './sendTemplate.operation';
import { allowBlankParameters, parameterFields } from './templateParameters';
import { messageRecords } from './waitForStatus';

const browserSession =
	"Needs the browser session: connect it on the service's dashboard and keep it active";

const imageUrlField = textField('imageUrl', 'Image URL', {
	placeholder: 'e.g. https://host.example/image.png',
	description:
		'URL of an image that the service can reach. Paths are rejected, because it is not documented on which machine they are.',
});

/** Its price is not documented (docs/service.md, section 10.31). */
const textCost = { unit: 'chat credits', amount: null };

const textRequest = (read: Read, message: string, imageUrl: string) => ({
	endpoint: endpoints.sendText,
	body: withoutEmpty({
		phone: read('phone', chatPhone(read.account.countryCodes)),
		message,
		file: read(imageUrl, filesFor(read.account).optionalFileUrl),
	}),
});

/** POST /chat/send: text or image through the browser session (docs/service.md, section 4.4). */
export const sendText: ItemOperation = {
	kind: 'item',
	value: 'send',
	name: 'Send Text or Image',
	action: 'Send text or image message',
	description:
		'Send a text, optionally with an image, through the browser session of the dashboard. To follow its delivery, use Send Template instead.',
	billable: true,
	recordLookUp: messageRecords,
	cost: () => textCost,
	fields: [
		phoneField,
		requiredField('message', 'Message', {
			typeOptions: { rows: 4 },
			placeholder: 'e.g. Your order has been shipped.',
			description: 'Text of the message',
			hint: browserSession,
		}),
		imageUrlField,
	],
	plan: (read) => ({ request: textRequest(read, read('message', requiredText), 'imageUrl') }),
};

const kinds = {
	text: ['Text', 'A plain text message, sent through the browser session of the dashboard'],
	template: [
		'Template',
		'An approved template. Its last two placeholders take the links to approve and decline, in this order. If there is only one link, the last placeholder takes it.',
	],
} as const;

/** POST /chat/send or /chat/send-template: a question with links to answer (docs/service.md, sections 4.4 and 4.5). */
export const sendMessageAndWait = sendAndWait({
	recordLookUp: messageRecords,
	cost: ({ endpoint }) => (endpoint === endpoints.sendTemplate ? templateCost : textCost),
	action: 'Send message and wait for response',
	description:
		'Send an approved template, or a text through the browser session of the dashboard, and wait until the recipient answers',
	fields: [
		phoneField,
		choiceField('sendAs', 'Send As', kinds, 'text', {
			noDataExpression: true,
			description: 'How the question is sent',
		}),
		...shownWhere({ sendAs: ['text'] }, [{ ...messageField, hint: browserSession }]),
		...shownWhere({ sendAs: ['template'] }, [
			templateNameField,
			...parameterFields,
			...headerFields,
		]),
	],
	additional: [
		...shownWhere({ '/sendAs': ['text'] }, [imageUrlField]),
		...shownWhere({ '/sendAs': ['template'] }, [languageField, templateNumberField]),
	],
	options: shownWhere({ '/sendAs': ['template'] }, [allowBlankParameters, checkTemplateBalance]),
	request: async (read, links) =>
		read('sendAs', choiceOf(kinds)) === 'template'
			? await templateRequest(
					read,
					links.map(({ url }) => url),
				)
			: textRequest(
					read,
					asPlainText(read('message', requiredText), links),
					'additionalFields.imageUrl',
				),
});
