import { endpoints, withoutEmpty } from '../../api/endpoints';
import { checkBalance } from '../../parameters/options';
import { requiredText } from '../../parameters/schemas';
import { messageField } from '../../sendAndWait/fields';
import { asHtml, asText } from '../../sendAndWait/message';
import { sendAndWait } from '../../sendAndWait/operation';
import { emailOptions, addressesIn, readEnvelope, subjectField, toField } from './envelope';

/** POST /email/send: an email with buttons to answer (docs/service.md, section 4.15). */
export const sendEmailAndWait = sendAndWait({
	action: 'Send an email and wait for response',
	description:
		'Send an email through the SMTP server of the account and wait until a recipient answers',
	cost: ({ body }) => ({ unit: 'email credits', amount: addressesIn(body) }),
	fields: [toField, subjectField, messageField],
	options: [checkBalance, ...emailOptions],
	request: (read, links) => {
		const question = { message: read('message', requiredText), links };
		const texts = { html: asHtml(question), text: asText(question) };
		return {
			endpoint: endpoints.sendEmail,
			body: withoutEmpty({ ...readEnvelope(read), ...texts }),
		};
	},
});
