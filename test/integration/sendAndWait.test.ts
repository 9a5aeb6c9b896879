import {
	createRunExecutionData,
	WAIT_INDEFINITELY,
	type IDataObject,
	type INodeParameters,
} from 'n8n-workflow';
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

/** Asks in a run of its own, which shows whether it waits. */
function asking(all = items) {
	const runExecutionData = createRunExecutionData();
	const credential = sandbox.credential();
	return executeContext({ credential, parameters: chat, items: all, runExecutionData });
}

const texts = async (): Promise<string[]> =>
	(await sandbox.requests(path)).map(({ body }) => (body as { message: string }).message);

test('one message goes out for all items, and the execution waits', async () => {
	const two = asking();
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

test('what another execution has asked with the same key is not waited for', async () => {
	const parameters = { ...chat, options: { idempotencyKey: 'question 1' } };
	await sandbox.run(parameters, { items, executionId: '1' });
	const runExecutionData = createRunExecutionData();
	const output = await sandbox.json(parameters, { items, executionId: '2', runExecutionData });
	expect(output).toEqual([{ alreadySent: true, idempotencyKey: 'question 1' }]);
	expect(runExecutionData.waitTill).toBeUndefined();
	expect(await texts()).toHaveLength(1);
});

test('a simulated question waits for nobody', async () => {
	const runExecutionData = createRunExecutionData();
	const simulated = { ...chat, options: { simulate: 'always' } };
	const [json] = await sandbox.json(simulated, { items, runExecutionData });
	expect(json).toMatchObject({ simulated: true, request: { path } });
	expect(runExecutionData.waitTill).toBeUndefined();
	expect(await sandbox.requests()).toEqual([]);
});

test('after an answer that rejects nothing waits, and a retry sends', async () => {
	await sandbox.answers(path, 500, { success: false, error: 'No' });
	const runExecutionData = createRunExecutionData();
	const error = await sandbox.failure(chat, { items, runExecutionData });
	expect(error.message).toBe('No');
	expect(error.description).toMatch(/ This node sent nothing\.$/);
	expect(runExecutionData.waitTill).toBeUndefined();

	await sandbox.run(chat, { items, runExecutionData });
	expect(await texts()).toHaveLength(2);
	expect(runExecutionData.waitTill).toEqual(WAIT_INDEFINITELY);
});

const told = (data: IDataObject, whom: IDataObject = { to: phone }) => [
	{
		json: {
			answered: true,
			data: { ...data, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
			...whom,
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
	expect(answer.items).toEqual(told({ approved }));
	expect(answer.page).toContain('Response recorded');
});

test('of several answers at the same moment one counts, and the others hear that it was answered', async () => {
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
])('the answer to %s says with which message was asked', async (_name, own, whom) => {
	const parameters = { ...chat, ...own };
	const data = { data: Buffer.from('%PDF').toString('base64'), mimeType: 'application/pdf' };
	const withFile = question.map((item) => ({ ...item, binary: { data } }));
	const open = await asked(sandbox, { parameters, items: withFile });
	expect((await open('POST', decline)).items).toEqual(told({ approved: false }, whom));
});

test('a free text comes without spaces around it, and with plain line breaks', async () => {
	const open = await asked(sandbox, { parameters: freeText, items: question });
	const { items: answer } = await open('POST', 0, { text: ' Yes\r\nbut later ' });
	expect(answer).toEqual(told({ text: 'Yes\nbut later' }));
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
		const answered = await open(method, approve, {}, { question: other });
		expect([answered.status, answered.items]).toEqual([409, []]);
		expect(answered.page).toContain('This question was answered');
	}
});

test('a link counts in the round of a loop that it was sent in, whatever the node is called', async () => {
	const node = { name: 'Ask "them" {{ 1 }}' };
	const open = await asked(sandbox, { parameters: chat, items: question, node, runIndex: 2 });
	expect((await open('POST', approve)).items).toEqual(told({ approved: true }));
	expect((await open('POST', approve, {}, { question: '0' })).items).toEqual([]);
});
