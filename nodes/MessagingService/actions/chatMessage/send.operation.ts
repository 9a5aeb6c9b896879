import { endpoints, withoutEmpty } from '../../api/endpoints';
import type { ItemOperation } from '../../operation';
import { textField } from '../../parameters/fields';
import type { Read } from '../../parameters/read';
import { chatPhone, requiredText, trimmed } from '../../parameters/schemas';
import { browserSession, imageUrlField, phoneField } from '../../parameters/sharedFields';
import { messageRecords } from './waitForStatus';

/** Its price is not documented (docs/service.md, section 10.31). */
export const textCost = { unit: 'chat credits', amount: null };

/** The request that sends a text, with more below the message if wanted; throws InputFailure. */
export const textRequest = (read: Read, textOf = (message: string) => message) => ({
	endpoint: endpoints.sendText,
	body: withoutEmpty({
		phone: read('phone', chatPhone(read.countryCodes)),
		message: textOf(read('message', requiredText)),
		file: read('imageUrl', trimmed),
	}),
});

/** POST /chat/send: text or image through the browser session (docs/service.md, section 4.4). */
export const sendText: ItemOperation = {
	kind: 'item',
	value: 'send',
	name: 'Send Text or Image',
	action: 'Send a text or image message',
	description: 'Send a text, with an image if wanted, through the browser session of the dashboard',
	billable: true,
	records: messageRecords,
	cost: () => textCost,
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
	plan: (read) => ({ request: textRequest(read) }),
};
