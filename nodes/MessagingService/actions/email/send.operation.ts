import { endpoints, withoutEmpty } from '../../api/endpoints';
import { choiceOf, requiredText } from '../../parameters/schemas';
import { choiceField, textField } from '../../parameters/fields';
import { checkBalance } from '../../parameters/options';
import type { ItemOperation } from '../../operation';
import { emailOptions, addressesIn, readEnvelope, subjectField, toField } from './envelope';

const formats = {
	html: 'HTML',
	text: 'Text',
	both: ['Both', 'HTML and text; the service uses the text only where there is no HTML'],
} as const;

/** POST /email/send: an email through the account's SMTP server (docs/service.md, section 4.15). */
export const sendEmail: ItemOperation = {
	kind: 'item',
	value: 'send',
	name: 'Send',
	action: 'Send an email',
	description: 'Send an email through the SMTP server of the account',
	billable: true,
	cost: ({ body }) => ({ unit: 'email credits', amount: addressesIn(body) }),
	fields: [
		toField,
		subjectField,
		choiceField('emailFormat', 'Email Format', formats, 'html', {
			description: 'Format of the body',
		}),
		textField('html', 'HTML', {
			typeOptions: { rows: 5, editor: 'htmlEditor' },
			required: true,
			placeholder: 'e.g. <p>Your order has been shipped.</p>',
			description: 'HTML body',
			displayOptions: { show: { emailFormat: ['html', 'both'] } },
		}),
		textField('text', 'Text', {
			typeOptions: { rows: 5 },
			required: true,
			placeholder: 'e.g. Your order has been shipped.',
			description: 'Plain body',
			displayOptions: { show: { emailFormat: ['text', 'both'] } },
		}),
	],
	options: [checkBalance, ...emailOptions],
	plan: (read) => {
		const format = read('emailFormat', choiceOf(formats));
		const body = withoutEmpty({
			...readEnvelope(read),
			html: format === 'text' ? '' : read('html', requiredText),
			text: format === 'html' ? '' : read('text', requiredText),
		});
		return { request: { endpoint: endpoints.sendEmail, body } };
	},
};
