import {
	createRunExecutionData,
	WAIT_INDEFINITELY,
	type IDataObject,
	type INodeParameters,
} from 'n8n-workflow';
import { map } from 'lodash';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { asked } from '../support/core/answer';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();
const path = '/chat/send';
const phone = '447700900210';

const chat: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendAndWait',
	phone,
	message: '={{ $json.question }}',
};
const freeText = { ...chat, responseType: 'freeText' };
/** With the answer to an earlier question, which must not count for this one. */
const earlier = { answered: true, data: { approved: true } };
const items = [1, 2].map((order) => ({ json: { ...earlier, question: 'First?', order } }));
const question = [{ json: { question: 'Ship "A & B"?' } }];
const [approve, decline] = [0, 1];

const texts = async () => map(await sandbox.bodies(path), 'message');

test('one message is sent for all items, and the execution waits', async () => {
	const two = executeContext({ credential: sandbox.credential(), parameters: chat, items });
	const [output] = await new MessagingService().execute.call(two);
	// Nothing in it looks like an answer.
	expect(output).toEqual([{ json: { waiting: true }, pairedItem: { item: 0 } }]);
	expect(await texts()).toEqual([expect.stringMatching(/^First\?\n\nApprove: http/)]);
	expect(two.runExecutionData.waitTill).toEqual(WAIT_INDEFINITELY);
	// n8n outputs them when the time is over.
	expect(two.getInputData().map(({ json }) => json)).toEqual([
		{ answered: false, question: 'First?', order: 1 },
		{ answered: false, question: 'First?', order: 2 },
	]);
	expect(two.hints).toEqual([{ message: '1 message sent; cost: 1; balance: 99999' }]);
});

test('a question that another execution has sent with the same key is not waited for', async () => {
	const parameters = { ...chat, options: { idempotencyKey: 'question 1' } };
	await sandbox.run(parameters, { items, executionId: '1' });
	const runExecutionData = createRunExecutionData();
	const output = await sandbox.json(parameters, { items, executionId: '2', runExecutionData });
	expect(output).toEqual([{ alreadySent: true, idempotencyKey: 'question 1' }]);
	expect(runExecutionData.waitTill).toBeUndefined();
	expect(await texts()).toHaveLength(1);
});

test('a simulated question does not wait', async () => {
	const runExecutionData = createRunExecutionData();
	const simulated = { ...chat, options: { simulate: 'always' } };
	const [json] = await sandbox.json(simulated, { items, runExecutionData });
	expect(json).toMatchObject({ simulated: true, request: { path } });
	expect(runExecutionData.waitTill).toBeUndefined();
	expect(await sandbox.requests()).toEqual([]);
});

test('after a rejected send nothing waits, and a retry sends', async () => {
	await sandbox.responds(path, 500, { success: false, error: 'No' });
	const runExecutionData = createRunExecutionData();
	const error = await sandbox.failure(chat, { items, runExecutionData });
	expect(error.message).toBe('No');
	expect(error.description).toMatch(/ This node sent nothing\.$/);
	expect(runExecutionData.waitTill).toBeUndefined();

	await sandbox.run(chat, { items, runExecutionData });
	expect(await texts()).toHaveLength(2);
	expect(runExecutionData.waitTill).toEqual(WAIT_INDEFINITELY);
});

const answered = (data: IDataObject, message: IDataObject = { to: phone }) => [
	{
		json: {
			answered: true,
			data: { ...data, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
			...message,
		},
		pairedItem: { item: 0 },
	},
];

test.each([
	[approve, true],
	[decline, false],
])('the form behind link %i decides, opening it does not', async (link, approved) => {
	const open = await asked(sandbox, { parameters: chat, items: question });
	for (const method of ['GET', 'HEAD']) {
		const { status, page, headers, items: none } = await open(method, link);
		expect([status, none]).toEqual([200, []]);
		expect(page).toContain('Ship &quot;A &amp; B&quot;?');
		expect(headers['Content-Security-Policy']).toContain('sandbox allow-forms');
	}
	const answer = await open('POST', link);
	expect(answer.items).toEqual(answered({ approved }));
	expect(answer.page).toContain('Response recorded');
});

test('of several answers at the same moment one counts, and the others get a page that says so', async () => {
	const executionId = 'double click';
	const open = await asked(sandbox, { parameters: chat, items: question, executionId });
	const all = await Promise.all(
		[approve, approve, decline].map(async (link) => await open('POST', link)),
	);
	expect(all.map(({ items: one }) => one.length)).toEqual([1, 0, 0]);
	expect(all.map(({ status }) => status)).toEqual([undefined, 409, 409]);
	expect(all[1]?.page).toContain('This question was answered');
	const other = { parameters: chat, items: question, executionId, node: { id: 'other' } };
	expect((await (await asked(sandbox, other))('POST', approve)).items).toHaveLength(1);
});

test.each<[string, INodeParameters, IDataObject]>([
	[
		'an email',
		{ resource: 'email', to: 'a@host.example', subject: 'Order' },
		{ to: 'a@host.example', messageId: expect.stringMatching(/^<.+>$/) as string },
	],
	...['none', 'binary'].map((header): [string, INodeParameters, IDataObject] => [
		`a template with the header ${header}`,
		{ sendAs: 'template', templateName: 'order_update', header },
		{ to: phone, messageId: expect.stringMatching(/^pm\./) as string },
	]),
])('the answer to %s names its message', async (_name, own, message) => {
	const parameters = { ...chat, ...own };
	const data = { data: Buffer.from('%PDF').toString('base64'), mimeType: 'application/pdf' };
	const withFile = question.map((item) => ({ ...item, binary: { data } }));
	const open = await asked(sandbox, { parameters, items: withFile });
	expect((await open('POST', decline)).items).toEqual(answered({ approved: false }, message));
});

test('a free text comes without spaces around it, and with plain line breaks', async () => {
	const open = await asked(sandbox, { parameters: freeText, items: question });
	const { items: answer } = await open('POST', 0, { text: ' Yes\r\nbut later ' });
	expect(answer).toEqual(answered({ text: 'Yes\nbut later' }));
});

test.each([null, {}, { text: ' \r\n' }, { text: { a: 1 } }])('%j is no answer', async (body) => {
	const open = await asked(sandbox, { parameters: freeText, items: question });
	const { status, page, items: answer } = await open('POST', 0, body);
	expect([status, answer]).toEqual([400, []]);
	expect(page).toContain('Please write a response first.');
});

test.each(['1', undefined])('a link of question %j decides nothing', async (other) => {
	const open = await asked(sandbox, { parameters: chat, items: question });
	for (const method of ['GET', 'POST']) {
		const { status, page, items: none } = await open(method, approve, {}, { question: other });
		expect([status, none]).toEqual([409, []]);
		expect(page).toContain('This question was answered');
	}
});

test('a link counts in the round of a loop that it was sent in, whatever the node is called', async () => {
	const node = { name: 'Ask "them" {{ 1 }}' };
	const open = await asked(sandbox, { parameters: chat, items: question, node, runIndex: 2 });
	expect((await open('POST', approve)).items).toEqual(answered({ approved: true }));
	expect((await open('POST', approve, {}, { question: '0' })).items).toEqual([]);
});
