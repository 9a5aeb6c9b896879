import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { findOperation } from '../../../nodes/MessagingService/actions';
import { fakeFile, fakeRead, fakeReader } from '../../support/unit/fakeRead';

async function build(resource: string, parameters: Record<string, unknown>) {
	const operation = findOperation(resource, 'sendAndWait');
	if (!operation || operation.kind !== 'joined') throw new Error(`No operation for ${resource}`);
	const given = { responseType: 'approval', ...parameters };
	const read = fakeRead(operation.fields, given, { file: fakeFile() });
	const { plans } = await operation.plan(fakeReader(read), [{ json: {} }]);
	return { plans, body: plans[0]?.request.body as Record<string, string> };
}

const chat = { phone: '+44 7700-900210', message: 'Ship?' };
const email = { to: 'a@host.example', subject: 'Order', message: 'Ship?' };
const address = (answer: string) =>
	`https://n8n.example/1?question=0&approved=${answer}&signature=s`;
const textAddress = 'https://n8n.example/1?question=0&signature=s';
const freeText = { responseType: 'freeText' };
const choice = (values: object) => ({ approvalOptions: { values } });

test('a chat message has the text, two links without another choice, and the image', async () => {
	const imageUrl = 'https://host.example/a.png';
	expect((await build('chatMessage', { ...chat, additionalFields: { imageUrl } })).body).toEqual({
		phone: '447700900210',
		message: `Ship?\n\nApprove: ${address('true')}\nDecline: ${address('false')}`,
		file: imageUrl,
	});
});

test.each<[Record<string, unknown>, string]>([
	[choice({ approvalType: 'single' }), `Approve: ${address('true')}`],
	[
		choice({ approvalType: 'double', approveLabel: 'Yes', disapproveLabel: ' ' }),
		`Yes: ${address('true')}\nDecline: ${address('false')}`,
	],
	[freeText, `Respond: ${textAddress}`],
	[{ ...freeText, options: { messageButtonLabel: 'Write to us' } }, `Write to us: ${textAddress}`],
])('%j has links with its own labels, or the presets', async (own, links) => {
	const { body } = await build('chatMessage', { ...chat, ...own });
	expect(body.message).toBe(`Ship?\n\n${links}`);
});

test('a template has the links in the placeholders behind its own', async () => {
	const template = {
		phone: chat.phone,
		sendAs: 'template',
		templateName: 'approve_refund',
		parametersUi: { parameter: [{ value: 'Anna' }, { value: 90 }] },
	};
	const { plans, body } = await build('chatMessage', template);
	expect(plans[0]?.request.endpoint).toBe(endpoints.sendTemplate);
	expect(body).toEqual({
		phone: '447700900210',
		templateName: 'approve_refund',
		language: 'en',
		parameters: ['Anna', '90', address('true'), address('false')],
	});
	const { body: text } = await build('chatMessage', { ...template, ...freeText });
	expect(text.parameters).toEqual(['Anna', '90', textAddress]);
	const { plans: withFile } = await build('chatMessage', { ...template, header: 'binary' });
	const parameters = JSON.stringify(['Anna', '90', address('true'), address('false')]);
	expect(withFile[0]?.request.form).toMatchObject({
		fields: { parameters, headerType: 'document', headerFilename: 'invoice.pdf' },
		file: { fileName: 'invoice.pdf' },
	});
	const blank = { ...template, parametersUi: { parameter: [{ value: ' ' }] } };
	await expect(build('chatMessage', blank)).rejects.toThrow('Value 1 is empty');
});

test('an email has the links in both bodies, escaped in HTML, and the additional fields of every email', async () => {
	const additionalFields = { fromName: 'Shop', replyTo: 'shop@host.example', important: true };
	const own = { ...choice({ approvalType: 'double', approveLabel: '<i>' }), message: '<b>\nShip?' };
	const { html, text, ...rest } = (await build('email', { ...email, ...own, additionalFields }))
		.body;
	expect(rest).toEqual({ to: 'a@host.example', subject: 'Order', ...additionalFields });
	expect(text).toBe(`<b>\nShip?\n\n<i>: ${address('true')}\nDecline: ${address('false')}`);
	const parts = ['&lt;b&gt;<br>Ship?', '>&lt;i&gt;<', '>Decline<'];
	const links = ['true', 'false'].map((answer) => address(answer).replaceAll('&', '&amp;'));
	for (const part of [...parts, ...links]) expect(html).toContain(part);
	expect(html).not.toMatch(/<[bi]>/);
});
