import { chatPhone, requiredText, trimmed } from '../../parameters/schemas';
import { withoutEmpty } from '../../api/request';
import { imageUrlField, phoneField } from '../../parameters/chatFields';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';

/** POST /chat/send: text or image through the browser session (docs/service.md, section 4.4). */
export const sendText: Operation = {
	value: 'send',
	name: 'Send Text or Image',
	action: 'Send a text or image message',
	description: 'Send a text, with an image if wanted, through the browser session of the dashboard',
	billable: true,
	fields: [
		phoneField,
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			placeholder: 'e.g. Your order has been shipped.',
			description: 'Text of the message',
		},
		imageUrlField,
		optionsField({ billable: true }),
	],
	request: (read) => ({
		method: 'POST',
		path: '/chat/send',
		body: withoutEmpty({
			phone: read('phone', 'Recipient Phone Number', chatPhone),
			message: read('message', 'Message', requiredText),
			file: read('imageUrl', 'Image URL', trimmed),
		}),
	}),
};
