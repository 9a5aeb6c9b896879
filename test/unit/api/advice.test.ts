import { adviceFor } from '../../../nodes/MessagingService/api/advice';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';

const email = {
	endpoint: endpoints.sendEmail,
	body: { to: 'a@host.example', subject: 'S', text: 'T' },
};
const call = { endpoint: endpoints.placeCall, body: { to: '123', audioName: 'Hi' } };

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
	['`to`, `subject` and either `html` or `text` are required', 'to and subject and text'],
	['to, subject and either html or text are required', 'to and subject and text'],
	["The field 'to' is not valid", 'to'],
	['Add a subject to the message', 'subject'],
])('fields are named where the text names them: %s', (text, fields) => {
	expect(adviceFor(email, 400, text)).toBe(`Check the value of ${fields}.`);
});

test('a word of the language names no field', () => {
	expect(adviceFor(call, 400, 'Unable to place the call')).toBe(
		'Check the values of to, audioName.',
	);
	expect(adviceFor(call, 400, 'to must have at least 10 digits')).toBe('Check the value of to.');
});

test.each([
	[200, 'did not do this'],
	[413, 'too large'],
	[429, 'Batching'],
	[500, 'mail server'],
])('status %i has its own advice', (status, words) => {
	expect(adviceFor(email, status, 'No')).toContain(words);
});
