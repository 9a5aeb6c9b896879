import { adviceFor } from '../../../nodes/MessagingService/api/advice';
import { endpoints, type Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import { createCall } from '../../../nodes/MessagingService/actions/voiceCall/create.operation';
import { sendEmail } from '../../../nodes/MessagingService/actions/email/send.operation';
import { labelsOf } from '../../../nodes/MessagingService/parameters/labels';
import type { Operation } from '../../../nodes/MessagingService/sending/operation';

const labelled = ({ fields }: Operation, endpoint: Endpoint, body: Record<string, string>) => ({
	endpoint,
	body,
	labelOf: (field: string) => labelsOf(fields, (path) => path !== 'text')(endpoint, field),
});
const email = labelled(sendEmail, endpoints.sendEmail, {
	to: 'a@host.example',
	subject: 'S',
	text: 'T',
	replyTo: 'b@host.example',
});
const call = labelled(createCall, endpoints.placeCall, { to: '123', audioName: 'Hi' });

test.each([
	'SMTP is not configured. Configure it to send e-mails',
	'To send e-mail, SMTP settings are required',
	'No smtp server for this organization: to is ignored',
])('a refusal of an e-mail for its SMTP speaks of that alone: %s', (text) => {
	expect(adviceFor(email, 400, text)).toBe(
		'Set up the SMTP server of the account on the dashboard.',
	);
});

test.each([
	['`to`, `subject` and either `html` or `text` are required', 'To, Subject and Text'],
	['to, subject and either html or text are required', 'To, Subject and Text'],
	["The field 'to' is not valid", 'To'],
	['Add a subject to the message', 'Subject'],
	['Invalid replyTo', 'Reply To'],
])('fields are named where the text names them: %s', (text, fields) => {
	expect(adviceFor(email, 400, text)).toBe(`Check ${fields}.`);
});

test('a word of the language names no field', () => {
	expect(adviceFor(call, 400, 'Unable to place the call')).toBe(
		'Check Recipient Phone Number and Audio URL.',
	);
	expect(adviceFor(call, 400, 'to must have at least 10 digits')).toBe(
		'Check Recipient Phone Number.',
	);
});

test.each([
	[200, 'did not do this'],
	[413, 'too large'],
	[429, 'Batching'],
	[500, 'mail server'],
])('status %i has its own advice', (status, words) => {
	expect(adviceFor(email, status, 'No')).toContain(words);
});

test('where the editor shows no fields, none is named', () => {
	const registration = { endpoint: endpoints.createWebhook, body: { url: 'https://h.example' } };
	expect(adviceFor(registration, 400, 'Invalid url')).toBe('Check the parameters.');
});
