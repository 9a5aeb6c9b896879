import { withoutEmpty } from '../../api/request';
import { chatPhone, trimmed } from '../../parameters/schemas';
import { asText } from '../../sendAndWait/message';
import { sendAndWait } from '../../sendAndWait/operation';
import { imageUrlField, phoneField } from '../../parameters/chatFields';

/** POST /chat/send: a text with links to answer (docs/service.md, section 4.4). */
export const sendTextAndWait = sendAndWait({
	action: 'Send a text message and wait for response',
	description:
		'Send a text through the browser session of the dashboard and wait until the recipient answers',
	path: '/chat/send',
	fields: [phoneField, imageUrlField],
	body: (read, question) =>
		withoutEmpty({
			phone: read('phone', 'Recipient Phone Number', chatPhone),
			message: asText(question),
			file: read('imageUrl', 'Image URL', trimmed),
		}),
});
