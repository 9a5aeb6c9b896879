import { endpoints, withoutEmpty } from '../../api/endpoints';
import { messageRecords } from './waitForStatus';
import { chatPhone, trimmed } from '../../parameters/schemas';
import { messageField } from '../../sendAndWait/fields';
import { asText } from '../../sendAndWait/message';
import { sendAndWait } from '../../sendAndWait/operation';
import { browserSession, imageUrlField, phoneField } from '../../parameters/sharedFields';

/** POST /chat/send: a text with links to answer (docs/service.md, section 4.4). */
export const sendTextAndWait = sendAndWait({
	records: messageRecords,
	cost: () => ({ unit: 'chat credits', amount: null }),
	action: 'Send a text message and wait for response',
	description:
		'Send a text through the browser session of the dashboard and wait until the recipient answers',
	endpoint: endpoints.sendText,
	fields: [phoneField, { ...messageField, hint: browserSession }, imageUrlField],
	body: (read, question) =>
		withoutEmpty({
			phone: read('phone', chatPhone(read.countryCodes)),
			message: asText(question),
			file: read('imageUrl', trimmed),
		}),
});
