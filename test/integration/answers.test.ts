import fc from 'fast-check';
import { WebhookContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IDataObject,
	type IWebhookData,
	type IWorkflowExecuteAdditionalData,
	type INodeParameters,
} from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';
import { workflowOf } from '../support/core/workflow';

const sandbox = useSandbox();

const chat: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendAndWait',
	phone: '919876543210',
	message: '={{ $json.question }}',
};
const freeText = { ...chat, responseType: 'freeText' };
const items = [{ json: { question: 'Ship "A & B"?' } }];

interface Opened {
	status?: number;
	page: unknown;
	headers: IDataObject;
	/** What the workflow goes on with; nothing where it waits on. */
	answer?: IDataObject;
}

/** Asks in an execution that waits then; what comes of a request to the link with a label. */
async function asked(parameters: INodeParameters, { name = 'Ask', runIndex = 0 } = {}) {
	const runExecutionData = createRunExecutionData();
	const settings = { parameters, items, runExecutionData, runIndex, node: { name } };
	const context = executeContext({ credential: sandbox.credential(), ...settings });
	await new MessagingService().execute.call(context);
	const node = context.getNode();
	const stack = runExecutionData.executionData?.nodeExecutionStack;
	stack?.push({ node, data: { main: [items] }, source: null });
	const { message } = (await sandbox.requests('/chat/send')).at(-1)?.body as { message: string };
	const links = new Map(
		[...message.matchAll(/^(.+): (https?:\S+)$/gm)].map(([, label = '', url = '']) => [
			label,
			Object.fromEntries(new URL(url).searchParams),
		]),
	);
	return async (
		method: string,
		label: string,
		text?: unknown,
		changed: IDataObject = {},
	): Promise<Opened> => {
		const opened: Opened = { page: undefined, headers: {} };
		const response = {
			status: (status: number) => Object.assign(response, void (opened.status = status)),
			set: (headers: IDataObject) => Object.assign(response, void (opened.headers = headers)),
			send: (page: string) => (opened.page = page),
		};
		const request = { method, query: { ...links.get(label), ...changed }, body: { text } };
		const webhook = new WebhookContext(
			workflowOf(node, { active: false }),
			node,
			{
				httpRequest: { headers: {}, ...request },
				httpResponse: response,
				variables: {},
				webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
				formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
			} as unknown as IWorkflowExecuteAdditionalData,
			'webhook',
			{} as IWebhookData,
			[],
			runExecutionData,
		);
		const { workflowData, webhookResponse } = await new MessagingService().webhook.call(webhook);
		opened.page ??= webhookResponse;
		opened.answer = workflowData?.[0]?.[0]?.json;
		return opened;
	};
}

const told = (data: IDataObject) => ({
	data: { ...data, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
	to: chat.phone,
	messageId: null,
});

test.each([
	['Approve', true],
	['Decline', false],
])('the form behind %s decides, opening it does not', async (label, approved) => {
	const open = await asked(chat);
	for (const method of ['GET', 'HEAD']) {
		const { status, page, headers, answer } = await open(method, label);
		expect([status, answer]).toEqual([200, undefined]);
		expect(page).toContain('Ship &quot;A &amp; B&quot;?');
		expect(headers['Content-Security-Policy']).toContain('sandbox allow-forms');
	}
	const { answer, page } = await open('POST', label);
	expect(answer).toEqual(told({ approved }));
	expect(page).toContain('Response recorded');
});

test('a free text comes without spaces around it, its lines as they are written everywhere', async () => {
	const open = await asked(freeText);
	const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
	await fc.assert(
		fc.asyncProperty(fc.array(line, { minLength: 1 }), async (lines) => {
			const { answer, status } = await open('POST', 'Respond', lines.join('\r\n'));
			const text = lines.join('\n').trim();
			if (text === '') expect([status, answer]).toEqual([400, undefined]);
			else expect(answer).toEqual(told({ text }));
		}),
		{ numRuns: 50, examples: [[['Yes', 'but later ']], [[' ', '']]] },
	);
});

test.each([undefined, '', ' \r\n', { a: 1 }])(
	'%j is no answer, and asked for again',
	async (text) => {
		const { status, page, answer } = await (await asked(freeText))('POST', 'Respond', text);
		expect([status, answer]).toEqual([400, undefined]);
		expect(page).toContain('Please write a response first.');
	},
);

test.each([{ question: '1' }, { question: undefined }])(
	'a link of another question decides nothing: %j',
	async (changed) => {
		const open = await asked(chat);
		for (const method of ['GET', 'POST']) {
			const { status, page, answer } = await open(method, 'Approve', undefined, changed);
			expect([status, answer]).toEqual([409, undefined]);
			expect(page).toContain('This question was answered');
		}
	},
);

test('a link counts in the round of a loop that it was sent in, whatever the node is called', async () => {
	const open = await asked(chat, { name: 'Ask "them" {{ 1 }}', runIndex: 2 });
	expect((await open('POST', 'Approve')).answer).toEqual(told({ approved: true }));
	expect((await open('POST', 'Approve', undefined, { question: '0' })).answer).toBeUndefined();
});

test('a title whose expression gives nothing any more does not make the link useless', async () => {
	const responseFormTitle = '={{ $json.question ? undefined.title : "" }}';
	const open = await asked({ ...chat, options: { responseFormTitle } });
	expect((await open('GET', 'Approve')).status).toBe(200);
	expect((await open('POST', 'Approve')).answer).toEqual(told({ approved: true }));
});
