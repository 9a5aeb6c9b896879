import { uniqBy } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';
import { withoutEmpty, type ApiRequest } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import type { ItemOperation } from '../../operation';
import {
	choiceField,
	flagField,
	noticeField,
	requiredField,
	textField,
} from '../../parameters/fields';
import { checkBalance } from '../../parameters/options';
import type { Read } from '../../parameters/read';
import {
	addressIn,
	choiceOf,
	converted,
	flag,
	mailboxOf,
	required,
	requiredText,
	trimmed,
	type Schema,
} from '../../parameters/schemas';
import { shown } from '../../parameters/shown';
import { additionalFields } from '../../parameters/sharedFields';
import { messageField } from '../../sendAndWait/fields';
import { sendAndWait } from '../../sendAndWait/operation';
import { asHtml, asPlainText } from '../../sendAndWait/page';

const addressFields: INodeProperties[] = [
	requiredField('to', 'To', {
		placeholder: 'e.g. anna@host.example, ben@host.example',
		description:
			'One address or several, separated by commas or semicolons. Whether recipients see each other is not documented: to keep them apart, use one item per address.',
	}),
	requiredField('subject', 'Subject', {
		placeholder: 'e.g. Your order',
		description: 'Subject of the email',
	}),
];

const additional: INodeProperties[] = [
	textField('fromName', 'From Name', {
		placeholder: 'e.g. Flower Shop',
		description: 'Name of the sender. If empty, the default of the organization is used.',
	}),
	textField('replyTo', 'Reply To', {
		placeholder: 'e.g. service@host.example',
		description: 'Address for replies. If empty, the SMTP sender is used.',
	}),
	flagField('important', 'Urgent', { description: 'Whether to send with high priority' }),
];

const attachmentNotice = noticeField(
	'attachmentNotice',
	'Emails carry no attachments: link to files',
);

const price = '1 email credit per recipient';

/** Every address costs a credit (docs/service.md, section 8). */
const cost = ({ body }: ApiRequest): IDataObject => ({
	unit: 'email credits',
	amount: String(body?.to).split(',').length,
});

const listOrText: Schema<string> = z.preprocess(
	(value) => (Array.isArray(value) ? value.join() : value),
	trimmed,
);

/**
 * Zero to `most` addresses, with or without names: a list, or a text with commas, semicolons or line breaks.
 * Returns the distinct addresses as one text, separated by commas (docs/service.md, section 4.15).
 */
const addresses = (most: number): Schema<string> =>
	converted(listOrText, (value, reject) => {
		if (value === '') return '';
		// The comma in "Doe, Anna" <anna@host.example> does not separate addresses.
		const entries = value.match(/(?:"[^"]*"|[^,;\n])+/g) ?? [];
		const all = entries.map(addressIn).filter((address) => address !== '');
		const other = all.find((address) => mailboxOf(address) === undefined);
		if (all.length === 0 || other !== undefined) {
			const advice = most === 1 ? '' : '; commas separate addresses';
			return reject(`contains ${shown(other ?? value)}, which is not an email address${advice}`);
		}
		const each = uniqBy(all, mailboxOf);
		return each.length > most ? reject('has more than one address') : each.join(', ');
	});

/** A text that becomes a header of the email, which a line break would end. */
const headerLine = trimmed.refine(
	(value) => !/[\n\r\v\f\0\u0085\u2028\u2029]/.test(value),
	'has a line break',
);

const subject = required(headerLine);
const recipients = required(addresses(Infinity));
const oneAddress = addresses(1);

const requestOf = (read: Read, bodies: { html: string; text: string }) => ({
	endpoint: endpoints.sendEmail,
	body: withoutEmpty<IDataObject>({
		to: read('to', recipients),
		subject: read('subject', subject),
		fromName: read('additionalFields.fromName', headerLine),
		replyTo: read('additionalFields.replyTo', oneAddress),
		important: read('additionalFields.important', flag) || undefined,
		...bodies,
	}),
});

const formats = {
	html: 'HTML',
	text: 'Text',
	both: ['Both', 'Both fields, of which the service sends only the HTML'],
} as const;

/** POST /email/send: an email through the account's SMTP server (docs/service.md, section 4.15). */
export const sendEmail: ItemOperation = {
	kind: 'item',
	value: 'send',
	action: 'Send email',
	description: 'Send an email through the SMTP server of the account',
	billable: true,
	cost,
	fields: [
		...addressFields,
		choiceField('emailFormat', 'Email Format', formats, 'html', {
			description: 'Format of the body',
		}),
		requiredField('html', 'HTML', {
			typeOptions: { rows: 5 },
			placeholder: 'e.g. <p>Your order has been shipped.</p>',
			description: 'HTML body',
			hint: "Line breaks need HTML tags. For plain text, set 'Email Format' to Text.",
			displayOptions: { show: { emailFormat: ['html', 'both'] } },
		}),
		requiredField('text', 'Text', {
			typeOptions: { rows: 5 },
			placeholder: 'e.g. Your order has been shipped.',
			description: 'Plain text body',
			displayOptions: { show: { emailFormat: ['text', 'both'] } },
		}),
		attachmentNotice,
		additionalFields(additional),
	],
	options: [checkBalance(price)],
	plan: (read) => {
		const format = read('emailFormat', choiceOf(formats));
		const html = format === 'text' ? '' : read('html', requiredText);
		const text = format === 'html' ? '' : read('text', requiredText);
		return { request: requestOf(read, { html, text }) };
	},
};

/** POST /email/send: an email with buttons to answer (docs/service.md, section 4.15). */
export const sendEmailAndWait = sendAndWait({
	action: 'Send email and wait for response',
	description:
		'Send an email through the SMTP server of the account and wait until a recipient answers',
	cost,
	fields: [...addressFields, messageField],
	additional,
	options: [checkBalance(price)],
	request: (read, links) => {
		const message = read('message', requiredText);
		return requestOf(read, { html: asHtml(message, links), text: asPlainText(message, links) });
	},
});
