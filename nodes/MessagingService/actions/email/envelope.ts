import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	emailAddresses,
	flag,
	optionalEmailAddress,
	requiredName,
	trimmed,
} from '../../parameters/schemas';
import { flagField, textField } from '../../parameters/fields';
import type { ApiRequest } from '../../api/client';
import type { ReadValue } from '../../parameters/read';

/** Recipients of an email. */
export const toField = textField('to', 'To', {
	required: true,
	placeholder: 'e.g. anna@host.example, ben@host.example',
	description:
		'One address or several separated by commas or semicolons; names such as in Anna &lt;anna@host.example&gt; are left out',
	hint: 'Each recipient costs 1 email credit',
});

/** Subject of an email. */
export const subjectField = textField('subject', 'Subject', {
	required: true,
	placeholder: 'e.g. Your order',
	description: 'Subject of the email',
});

/** Options of everything that sends an email. */
export const emailOptions: INodeProperties[] = [
	textField('fromName', 'From Name', {
		placeholder: 'e.g. Flower Shop',
		description: 'Name of the sender. The default of the organization is used if empty.',
	}),
	flagField('important', 'Important', { description: 'Whether to send with high priority' }),
	textField('replyTo', 'Reply To', {
		placeholder: 'e.g. service@host.example',
		description: 'Address that answers go to. The SMTP sender is used if empty.',
	}),
];

/** Everything of POST /email/send but the body; throws InputFailure. */
export const readEnvelope = (read: ReadValue): IDataObject => ({
	to: read('to', emailAddresses),
	subject: read('subject', requiredName),
	fromName: read('options.fromName', trimmed),
	replyTo: read('options.replyTo', optionalEmailAddress),
	important: read('options.important', flag) || undefined,
});

/** How many addresses an email goes to; each is charged (docs/service.md, section 8). */
export const addressesIn = (body: ApiRequest['body']): number => String(body?.to).split(',').length;
