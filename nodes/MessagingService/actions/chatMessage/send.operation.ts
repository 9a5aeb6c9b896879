import { chatPhone, requiredText, trimmed } from '../../parameters/schemas';
import { textField } from '../../parameters/fields';
import { endpoints, withoutEmpty } from '../../api/endpoints';
import { browserSession, imageUrlField, phoneField } from '../../parameters/sharedFields';
import { messageRecords } from './waitForStatus';
import type { ItemOperation } from '../../operation';

/** POST /chat/send: text or image through the browser session (docs/service.md, section 4.4). */
export const sendText: ItemOperation = {
	kind: 'item',
	value: 'send',
	name: 'Send Text or Image',
	action: 'Send a text or image message',
	description: 'Send a text, with an image if wanted, through the browser session of the dashboard',
	billable: true,
	records: messageRecords,
	cost: () => ({ unit: 'chat credits', amount: null }),
	fields: [
		phoneField,
		textField('message', 'Message', {
			typeOptions: { rows: 4 },
			required: true,
			placeholder: 'e.g. Your order has been shipped.',
			description: 'Text of the message',
			hint: browserSession,
		}),
		imageUrlField,
	],
	plan: (read) => ({
		request: {
			endpoint: endpoints.sendText,
			body: withoutEmpty({
				phone: read('phone', chatPhone(read.countryCodes)),
				message: read('message', requiredText),
				file: read('imageUrl', trimmed),
			}),
		},
	}),
};
