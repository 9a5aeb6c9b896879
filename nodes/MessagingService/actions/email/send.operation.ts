import { withoutEmpty } from '../../api/request';
import {
	emailAddresses,
	flag,
	oneOf,
	optionalEmailAddress,
	requiredName,
	requiredText,
	trimmed,
} from '../../api/schemas';
import { optionsField } from '../fields/sendOptions';
import type { Operation } from '../operation';

/** POST /email/send: an e-mail through the account's SMTP server (service-api.md, section 4). */
export const sendEmail: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send an e-mail',
	description: 'Send an e-mail through the SMTP server of the account',
	billable: true,
	id: 'messageId',
	fields: [
		{
			displayName: 'To',
			name: 'to',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. anna@host.example, ben@host.example',
			description: 'One address or several separated by commas. Each costs one e-mail credit.',
		},
		{
			displayName: 'Subject',
			name: 'subject',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. Your order',
			description: 'Subject of the e-mail',
		},
		{
			displayName: 'Email Format',
			name: 'emailFormat',
			type: 'options',
			options: [
				{
					name: 'Both',
					value: 'both',
					description: 'HTML, and text for readers that show no HTML',
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
		optionsField({
			billable: true,
			own: [
				{
					displayName: 'From Name',
					name: 'fromName',
					type: 'string',
					default: '',
					placeholder: 'e.g. Flower Shop',
					description: 'Name of the sender. The default of the organization is used if empty.',
				},
				{
					displayName: 'Important',
					name: 'important',
					type: 'boolean',
					default: false,
					description: 'Whether to send with high priority',
				},
				{
					displayName: 'Reply To',
					name: 'replyTo',
					type: 'string',
					default: '',
					placeholder: 'e.g. service@host.example',
					description: 'Address that answers go to. The SMTP sender is used if empty.',
				},
			],
		}),
	],
	request: (read) => {
		const format = read('emailFormat', 'Email Format', oneOf(['html', 'text', 'both'] as const));
		const important = read('options.important', 'Important', flag);
		return {
			method: 'POST',
			path: '/email/send',
			body: withoutEmpty({
				to: read('to', 'To', emailAddresses),
				subject: read('subject', 'Subject', requiredName),
				html: format === 'text' ? '' : read('html', 'HTML', requiredText),
				text: format === 'html' ? '' : read('text', 'Text', requiredText),
				fromName: read('options.fromName', 'From Name', trimmed),
				replyTo: read('options.replyTo', 'Reply To', optionalEmailAddress),
				important: important || undefined,
			}),
		};
	},
};
