import { endpoints, withoutEmpty } from '../../api/endpoints';
import { oneOf, requiredText } from '../../parameters/schemas';
import { checkBalance, optionsField } from '../../parameters/options';
import type { ItemOperation } from '../../operation';
import { emailOptions, addressesIn, readEnvelope, subjectField, toField } from './envelope';

const emailFormat = oneOf(['html', 'text', 'both'] as const);

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
		{
			displayName: 'Email Format',
			name: 'emailFormat',
			type: 'options',
			options: [
				{
					name: 'Both',
					value: 'both',
					description: 'HTML and text; the service uses the text only where there is no HTML',
				},
				{ name: 'HTML', value: 'html' },
				{ name: 'Text', value: 'text' },
			],
			default: 'html',
			description: 'Format of the body',
		},
		{
			displayName: 'HTML',
			name: 'html',
			type: 'string',
			typeOptions: { rows: 5, editor: 'htmlEditor' },
			required: true,
			default: '',
			placeholder: 'e.g. <p>Your order has been shipped.</p>',
			description: 'HTML body',
			displayOptions: { show: { emailFormat: ['html', 'both'] } },
		},
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 5 },
			required: true,
			default: '',
			placeholder: 'e.g. Your order has been shipped.',
			description: 'Plain body',
			displayOptions: { show: { emailFormat: ['text', 'both'] } },
		},
		optionsField({ billable: true, own: [checkBalance, ...emailOptions] }),
	],
	plan: (read) => {
		const format = read('emailFormat', emailFormat);
		const body = withoutEmpty({
			...readEnvelope(read),
			html: format === 'text' ? '' : read('html', requiredText),
			text: format === 'html' ? '' : read('text', requiredText),
		});
		return { request: { endpoint: endpoints.sendEmail, body } };
	},
};
