import { findOperation } from '../../../nodes/MessagingService/actions';
import { fakeRead, fakeReader } from '../../support/unit/fakeRead';

async function build(resource: string, parameters: Record<string, unknown>, items = 1) {
	const operation = findOperation(resource, 'sendAndWait');
	if (!operation || operation.kind !== 'joined') throw new Error(`No operation for ${resource}`);
	const read = fakeRead(operation.fields, { responseType: 'approval', ...parameters });
	const input = Array.from({ length: items }, () => ({ json: {} }));
	const { plans, notes } = await operation.plan(fakeReader(read), input, () => false);
	return { plans, notes, body: plans[0]?.request.body as Record<string, string> };
}

const chat = { phone: '+91 98765-43210', message: 'Ship?' };
const email = { to: 'a@host.example', subject: 'Order', message: 'Ship?' };
const double = { approvalOptions: { values: { approvalType: 'double' } } };
const address = (answer: string) =>
	`https://n8n.example/1?question=0&approved=${answer}&signature=s`;

test('a chat message has the text, the links and the image', async () => {
	const parameters = { ...chat, ...double, imageUrl: 'https://host.example/a.png' };
	expect((await build('chatMessage', parameters)).body).toEqual({
		phone: '919876543210',
		message: `Ship?\n\nApprove: ${address('true')}\nDecline: ${address('false')}`,
		file: 'https://host.example/a.png',
	});
});

test('without a choice there are two links, one that approves and one that declines', async () => {
	expect((await build('chatMessage', chat)).body.message).toBe(
		`Ship?\n\nApprove: ${address('true')}\nDecline: ${address('false')}`,
	);
});

test('with "Approve Only" there is one link', async () => {
	const approvalOptions = { values: { approvalType: 'single' } };
	expect((await build('chatMessage', { ...chat, approvalOptions })).body.message).toBe(
		`Ship?\n\nApprove: ${address('true')}`,
	);
});

test('labels are the own ones, or the presets where they are empty', async () => {
	const values = { approvalType: 'double', approveLabel: 'Yes', disapproveLabel: ' ' };
	const { message } = (await build('chatMessage', { ...chat, approvalOptions: { values } })).body;
	expect(message).toMatch(/\n\nYes: .*\nDecline: /);
});

test('a free text has one link', async () => {
	const parameters = { ...chat, responseType: 'freeText' };
	const link = 'https://n8n.example/1?question=0&signature=s';
	expect((await build('chatMessage', parameters)).body.message).toBe(`Ship?\n\nRespond: ${link}`);
	const options = { messageButtonLabel: 'Write to us' };
	expect((await build('chatMessage', { ...parameters, options })).body.message).toContain(
		'Write to us: ',
	);
});

test('a template has the links in the placeholders behind its own', async () => {
	const template = {
		phone: chat.phone,
		sendAs: 'template',
		templateName: 'approve_refund',
		parametersUi: { parameter: [{ value: 'Anna' }, { value: 90 }] },
	};
	const { plans, body } = await build('chatMessage', template);
	expect(plans[0]?.request.endpoint.path).toBe('/chat/send-template');
	expect(body).toEqual({
		phone: '919876543210',
		templateName: 'approve_refund',
		language: 'en',
		parameters: ['Anna', '90', address('true'), address('false')],
	});
	const { body: text } = await build('chatMessage', { ...template, responseType: 'freeText' });
	expect(text.parameters).toEqual(['Anna', '90', 'https://n8n.example/1?question=0&signature=s']);
	const blank = { ...template, parametersUi: { parameter: [{ value: ' ' }] } };
	await expect(build('chatMessage', blank)).rejects.toThrow('Parameters has no value for {{1}}');
});

test('an email has the links in both bodies and the options of every email', async () => {
	const options = { fromName: 'Shop', replyTo: 'shop@host.example', important: true };
	const { html, text, ...rest } = (await build('email', { ...email, ...double, options })).body;
	expect(rest).toEqual({ to: 'a@host.example', subject: 'Order', ...options });
	expect(text).toBe(`Ship?\n\nApprove: ${address('true')}\nDecline: ${address('false')}`);
	for (const answer of ['true', 'false']) {
		expect(html).toContain(address(answer).replaceAll('&', '&amp;'));
	}
});

test.each([
	['chatMessage', { ...chat, phone: '0170' }, 'Recipient Phone Number "0170" starts with a zero'],
	['chatMessage', { ...chat, message: ' ' }, 'Message is empty (item 1)'],
	['email', { ...email, to: 'nobody' }, 'To "nobody" is not an email address'],
	['email', { ...email, subject: '' }, 'Subject is empty (item 1)'],
	['email', { ...email, responseType: 'form' }, 'Response Type is not one of'],
])('%s refuses %j', async (resource, parameters, message) => {
	await expect(build(resource, parameters)).rejects.toThrow(message);
});
