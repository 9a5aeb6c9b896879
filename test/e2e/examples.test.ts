import { find, map, mapValues, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	createCredentials,
	example,
	exampleDashboard,
	filledIn,
	otherCredentials,
} from '../../scripts/start/examples';
import { useScriptedModel } from '../support/ai/scriptedModel';
import { askService } from '../support/e2e/sandbox';
import {
	attachN8n,
	chain,
	manualTrigger,
	node,
	waitFor,
	type Execution,
	type WorkflowJson,
} from '../../harness';

const n8n = attachN8n();
let sandbox: Sandbox;
/** Workflows to unpublish after the test, so that their URLs are free again. */
const published: string[] = [];

const login = otherCredentials['Form login'].data;
const shop = otherCredentials.Shop.data;
const start = 'When clicking ‘Execute workflow’';
const templates = '/chat/send-template';
const [anna, ben, unreachable] = ['447700900210', '447700900211', '447700900000'] as const;
/** Anna's number as a person writes it. */
const annaWritten = '+44 7700 900210';
const containing = (text: string) => expect.stringContaining(text) as string;
const anyText = expect.any(String) as string;

// n8n chooses a credential by its name at the import, if only one has it. Other tests share this n8n.
const suffix = ` ${crypto.randomUUID()}`;
const model = useScriptedModel(() => n8n, `OpenAI account${suffix}`);
beforeAll(async () => {
	sandbox = await startSandbox();
	await createCredentials(n8n, sandbox, suffix);
});

beforeEach(async () => await sandbox.control.reset());

afterEach(async () => {
	for (const id of published.splice(0)) await n8n.unpublish(id);
});

afterAll(async () => await sandbox.close());

/** A change of the text of an example. */
type Change = (text: string) => string;

/** Imports an example, but that it waits for no more than a second. */
async function imported(file: string, change: Change = (text) => text): Promise<string> {
	const text = JSON.stringify(filledIn(example(`${file}.json`)));
	const workflow = JSON.parse(change(text)) as WorkflowJson;
	const parameters = { resume: 'timeInterval', amount: 1, unit: 'seconds' };
	const nodes = workflow.nodes.map((one) => ({
		...one,
		...(one.type === 'n8n-nodes-base.wait' && { parameters }),
		credentials: mapValues(one.credentials, ({ id, name }) => ({ id, name: `${name}${suffix}` })),
	}));
	return await n8n.createWorkflow({ ...workflow, nodes });
}

async function publishedExample(file: string, change?: Change): Promise<string> {
	const id = await imported(file, change);
	await n8n.publish(id);
	published.push(id);
	return id;
}

/** Runs an example by hand; nothing in it fails. */
async function ran(file: string, trigger: string, change?: Change): Promise<Execution> {
	const execution = await n8n.run(await imported(file, change), { trigger });
	expect(execution.error).toBeUndefined();
	return execution;
}

/** Waits for so many executions, none of which fails. */
async function goodExecutions(id: string, count: number): Promise<void> {
	const executions = await n8n.waitForExecutions(id, count);
	expect(map(executions, 'error')).toEqual(executions.map(() => undefined));
}

/** Lets an example use the sample of a poll by hand as if it were an event. */
const asIfPolled: Change = (text) => text.replaceAll('$json.sample', '$json.none');

/** Bodies of the requests that the service acted on. */
async function accepted(path: string): Promise<IDataObject[]> {
	const requests = await sandbox.control.journal({ kind: 'request', method: 'POST', path });
	return requests.filter(({ processed }) => processed).map(({ body }) => body as IDataObject);
}

/** Sends a template message as another program of the account. */
async function sendTemplate(phone: string): Promise<void> {
	const body = { phone, templateName: 'order_update' };
	const response = await askService(sandbox, templates, body);
	expect(response.status).toBe(200);
}

/** Posts JSON to the webhook of a published example. @returns the status of the response */
async function postTo(path: string, body: object, headers: Record<string, string> = {}) {
	const response = await fetch(`${n8n.url}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(body),
	});
	return response.status;
}

/** A node that reads a data table. */
const tableRows = (table: string) =>
	node('Rows', 'n8n-nodes-base.dataTable', {
		...{ resource: 'row', operation: 'get', filters: {}, returnAll: true },
		dataTableId: { __rl: true, mode: 'name', value: table },
	});

/** Where n8n serves the trigger of a published example. */
const webhookOf = (file: string): string =>
	example(`${file}.json`).nodes.find(({ webhookId }) => webhookId !== undefined)?.webhookId ?? '';

/** Posts a form to its production page. */
async function postForm(file: string, fields: Array<File | string>, password = login.password) {
	const body = new FormData();
	fields.forEach((field, index) => body.append(`field-${index}`, field));
	const basic = Buffer.from(`${login.user}:${password}`).toString('base64');
	const headers = { authorization: `Basic ${basic}` };
	return await fetch(`${n8n.url}/form/${webhookOf(file)}`, { method: 'POST', headers, body });
}

/** Fills in a form that only its login opens; returns the execution that it starts. */
async function submit(
	file: string,
	fields: Array<File | string>,
	until?: 'waiting',
): Promise<Execution> {
	const id = await publishedExample(file);
	expect((await postForm(file, fields, 'wrong')).status).toBe(401);
	expect((await postForm(file, fields)).status).toBe(200);
	const execution = await n8n.waitForExecution(await n8n.newestExecution(id), until);
	expect(execution.error).toBeUndefined();
	return execution;
}

/** Receives messages for the dashboard trigger of an example, one after the other. */
async function receive(file: string, messages: Array<[sender: string, content: string]>) {
	const id = await publishedExample(file);
	const url = `${n8n.url}/webhook/${webhookOf(file)}/webhook`;
	const { verificationToken: token } = otherCredentials[exampleDashboard].data;
	await sandbox.control.addDashboardWebhook({ url, token, events: ['messageReceived'] });
	for (const [index, [sender, content]] of messages.entries()) {
		await sandbox.control.receiveMessage({ sender, content });
		await goodExecutions(id, index + 1);
	}
}

// send-template is run in startup.test.ts and by an editor test.
test.each([{}, { chatBalance: 499 }, { emailBalance: 99 }, { voiceMins: 59 }])(
	'balance-alert mails the owner %j, and nothing while every balance is high',
	async (low) => {
		const high = { chatBalance: 500, emailBalance: 100, voiceMins: 60 };
		await sandbox.control.setAccount({ ...high, ...low });
		await ran('balance-alert', 'Every Hour');
		const { email: to } = await sandbox.control.account();
		const mails = Object.values(low).map((amount) => ({ to, text: containing(`: ${amount}`) }));
		expect(await accepted('/email/send')).toMatchObject(mails);
	},
);

test.each([
	['Failed', [], [`+${anna}`, `+${ben}`]],
	['Sent', [anna, ben], []],
	['Delivered', [anna, ben], []],
	['Read', [], []],
] as const)(
	'remind-unread after %s: reminds %j, calls %j',
	async (messageOutcome, reminded, called) => {
		const lifecycle = { deliveredAfterMs: 0, readAfterMs: 0, messageOutcome };
		await sandbox.control.setLifecycle(lifecycle);
		const execution = await ran('remind-unread', start);
		expect(execution.json('Send Campaign')).toHaveLength(2);
		expect(map(await accepted(templates), 'phone')).toEqual(reminded);
		expect(map(await accepted('/voice/call'), 'to')).toEqual(called);
	},
);

test('remind-unread after a simulated campaign: simulates the reminders', async () => {
	const execution = await ran('remind-unread', start, (text) => {
		const workflow = JSON.parse(text) as WorkflowJson;
		for (const { name, parameters } of workflow.nodes)
			if (name === 'Send Campaign') parameters.options = { simulate: 'always' };
		return JSON.stringify(workflow);
	});
	expect(execution.json('Send Reminder')).toMatchObject([
		{ simulated: true, request: { body: { phone: anna } } },
		{ simulated: true, request: { body: { phone: ben } } },
	]);
	expect(await sandbox.control.journal({ kind: 'request' })).toEqual([]);
});

test('ask-customers asks all at once, and keeps each answer', async () => {
	await ran('ask-customers', 'Set Up');
	const id = await publishedExample('ask-customers');
	expect((await n8n.run(id, { trigger: 'Every Morning' })).error).toBeUndefined();
	const questions = await waitFor('three questions', async () => {
		const all = await accepted(templates);
		return all.length === 3 ? all : undefined;
	});
	const linksOf = (phone: string) => (find(questions, { phone })?.parameters as string[]).slice(-2);
	// n8n accepts an answer once the execution waits, a moment after the question was sent.
	const answer = async (link = '') =>
		await waitFor('n8n to accept an answer', async () => {
			const { ok } = await fetch(link, { method: 'POST' });
			return ok || undefined;
		});
	// The second answers before the first, and the third not at all.
	await answer(linksOf(ben)[1]);
	await answer(linksOf(anna)[0]);
	const reading = chain('Read answers', [manualTrigger(), tableRows('Appointment answers')]);
	const answers = await waitFor('two answers', async () => {
		const rows = (await n8n.tryOut(reading)).json('Rows');
		return rows.length === 2 ? rows : undefined;
	});
	expect(sortBy(answers, 'name')).toMatchObject([
		{ name: 'Anna', answer: 'yes' },
		{ name: 'Ben', answer: 'no' },
	]);
});

test('opt-outs leaves out of a campaign the recipients who replied STOP', async () => {
	await ran('opt-outs', 'Set Up');
	const campaign = async () => (await ran('opt-outs', start)).json('Send Campaign');
	expect(await campaign()).toMatchObject([{ total: 2, excludedCount: 0 }]);
	await receive('opt-outs', [
		[ben, 'When do you come?'],
		['+44 (7700) 900-210', ' “Stop!” '],
	]);
	expect(await campaign()).toMatchObject([
		{ total: 1, excludedCount: 1, excluded: [{ row: 1, value: annaWritten }] },
	]);
});

test('bulk-campaign-from-spreadsheet sends to good rows and returns the others', async () => {
	const rows = [
		'phone,name,time',
		'+44 7700 900210,Anna,12:30',
		'0123,Ben,13:00',
		'447700900212,Carla,13:30',
		'447700900212,Carla,13:30',
	];
	const file = new File([rows.join('\n')], 'customers.csv', { type: 'text/csv' });
	const execution = await submit('bulk-campaign-from-spreadsheet', [file]);
	const recipients = [
		{ phone: anna, params: ['Anna', '12:30'], name: 'Anna' },
		{ phone: '447700900212', params: ['Carla', '13:30'], name: 'Carla' },
	];
	const campaign = { templateName: 'order_update', language: 'en', recipients };
	expect(await accepted('/chat/bulk-send')).toEqual([campaign]);
	expect(execution.json('Create Campaign')).toMatchObject([
		{ total: 2, status: 'processing', duplicatesRemoved: 1, skippedCount: 1 },
	]);
	expect(execution.json('One Item per Row')).toEqual([
		{ row: 2, value: '0123', reason: containing('starts with a zero') },
	]);
	expect(execution.output('Rows to Correct')[0]?.binary).toMatchObject({
		data: { fileName: 'rows-to-correct.csv', mimeType: 'text/csv' },
	});
});

test('order-confirmation confirms, and calls the recipients that no message reaches', async () => {
	const id = await publishedExample('order-confirmation');
	const order = async (phone: string, secret: string) =>
		await postTo('new-order', { phone, name: 'Anna', time: '12:30' }, { [shop.name]: secret });
	expect(await order(anna, 'wrong')).toBe(403);
	expect(await order(anna, shop.value)).toBe(200);
	expect(await order(unreachable, shop.value)).toBe(200);
	await n8n.waitForExecutions(id, 3);
	await sandbox.control.settle();

	const messages = await accepted(templates);
	expect(messages.map(({ phone }) => phone).sort()).toEqual([unreachable, anna]);
	const audioName = containing('Your order is confirmed');
	const call = { to: `+${unreachable}`, audioName, recipientName: 'Order confirmation' };
	expect(await accepted('/voice/call')).toMatchObject([call]);
});

test('delivery-report keeps one row per message, and catches up with what was missed', async () => {
	await ran('delivery-report', 'Set Up');
	const rowsOf = async (own: string) => {
		const rows = tableRows('Message deliveries');
		const reading = await n8n.tryOut(chain('Read rows', [manualTrigger(), rows]));
		return reading.json('Rows').filter(({ recipient }) => recipient === own);
	};
	const time = expect.stringMatching(/^\d{4}-/) as string;
	const id = await publishedExample('delivery-report');
	await sendTemplate(anna);
	await sendTemplate(unreachable);
	await goodExecutions(id, 2);
	const failed = { sentAt: null, deliveredAt: null, readAt: null, failedAt: time };
	expect(await rowsOf(unreachable)).toMatchObject([failed]);
	const delivered = { sentAt: null, deliveredAt: time, readAt: null, failedAt: null };
	expect(await rowsOf(anna)).toMatchObject([{ template: 'order_update', ...delivered }]);

	await n8n.unpublish(id);
	const missed = '447700900277';
	await sendTemplate(missed);
	await sandbox.control.settle();
	const trigger = 'On Missed Change';
	await ran('delivery-report', trigger);
	expect(await rowsOf(missed)).toEqual([]);
	// By then, the message has been read.
	await ran('delivery-report', trigger, (text) =>
		asIfPolled(text).replace('"statuses":["Delivered"', '"statuses":["Read"'),
	);
	expect(await rowsOf(missed)).toMatchObject([{ sentAt: time, readAt: time, failedAt: null }]);
});

test("daily-call-report mails yesterday's calls", async () => {
	const createdAt = new Date(Date.now() - 24 * 60 * 60 * 1_000).toISOString();
	await sandbox.control.addCalls(2, { createdAt, everyMs: 0, to: anna });
	await sandbox.control.addCalls(1, { createdAt, callStatus: 'no-answer' });
	await sandbox.control.addCalls(1, { callStatus: 'failed' });
	const execution = await ran('daily-call-report', 'Every Morning');
	const counts = { success: 2, 'no-answer': 1 };
	expect(execution.json('Report')).toEqual([expect.objectContaining({ calls: 3, counts })]);
	const [mail] = await accepted('/email/send');
	expect(mail?.subject).toMatch(/^Calls of \d{4}-\d\d-\d\d: 3$/);
	expect(mail?.text).toContain(`+${anna}  success  `);
});

test.each([
	['success', 'Reached', 0],
	['no-answer', 'Send Message Instead', 1],
	['failed', 'Look Into It', 0],
] as const)('voice-call-result goes on after %s', async (callOutcome, branch, messages) => {
	// Over before the first look, or the example waits five seconds for the next.
	await sandbox.control.setLifecycle({ callOutcome, answeredAfterMs: 0, endedAfterMs: 0 });
	const execution = await ran('voice-call-result', start);
	expect(execution.json('Place Call')).toMatchObject([{ ended: true, status: callOutcome }]);
	const branches = ['Reached', 'Send Message Instead', 'Look Into It'];
	expect(branches.filter((name) => execution.json(name).length > 0)).toEqual([branch]);
	expect(await accepted('/voice/call')).toHaveLength(1);
	expect(await accepted(templates)).toHaveLength(messages);
});

test('mcp-server offers its tools to a client with the header, and rejects other recipients', async () => {
	const { type, data } = otherCredentials['MCP client'];
	/** What n8n's own MCP client gets from a tool. */
	async function call(tool: string, input: IDataObject, value = data.value): Promise<Execution> {
		const caller = await n8n.createCredential({ ...data, value }, type);
		const client = node(
			'MCP Client',
			'@n8n/n8n-nodes-langchain.mcpClient',
			{
				endpointUrl: `${n8n.url}/mcp/messaging-tools`,
				authentication: 'headerAuth',
				tool: { __rl: true, mode: 'id', value: tool },
				inputMode: 'json',
				jsonInput: JSON.stringify(input),
				options: {},
			},
			{ credentials: { httpHeaderAuth: caller } },
		);
		return await n8n.tryOut(chain('MCP', [manualTrigger(), client]));
	}
	const said = (execution: Execution) => JSON.stringify(execution.json('MCP Client'));

	await publishedExample('mcp-server');
	expect((await call('Check_Setup', {}, 'wrong')).error).toBeDefined();
	expect(await sandbox.control.journal({ kind: 'request' })).toEqual([]);
	const order = { parameters0_Value: 'Anna', parameters1_Value: '12:30' };
	const send = async (phone: string) =>
		said(await call('Send_Template', { Recipient_Phone_Number: phone, ...order }));
	expect(await send('+1 415 555 0199')).toContain('Allowed Recipients does not include');
	expect(await send(annaWritten)).toContain('providerMessageId');
	expect(await accepted(templates)).toMatchObject([{ phone: anna, parameters: ['Anna', '12:30'] }]);
	const messages = said(await call('Get_Messages', { Recipient_Phone_Number: annaWritten }));
	expect(messages).toContain(anna);
	// Escaped: a field of a record, not of MCP's own envelope.
	expect(messages).not.toContain('\\"content\\"');
});

test('ai-agent asks before it sends, and remembers what a yes belongs to', async () => {
	const trigger = 'When chat message received';
	const id = await imported('ai-agent');
	const say = async (chatInput: string): Promise<string> => {
		const message = { sessionId: '1', action: 'sendMessage', chatInput };
		await n8n.updateWorkflow(id, { pinData: { [trigger]: [{ json: message }] } });
		const execution = await n8n.run(id, { trigger });
		expect(execution.error).toBeUndefined();
		return JSON.stringify(execution.json('Assistant'));
	};
	const wish = `Tell Anna at ${annaWritten} that her order comes at 12:30`;
	model.sentence = `Shall I send "Anna, 12:30" to ${annaWritten}?`;
	await say(wish);
	expect(model.offered[0]?.sort()).toEqual(['Get_Balance', 'Get_Messages', 'Send_Template']);
	expect(model.conversations[0]?.[0]?.content).toContain('wait for a yes');
	expect(await accepted(templates)).toEqual([]);

	const order = { parameters0_Value: 'Anna', parameters1_Value: '12:30' };
	model.tool = 'Send_Template';
	model.calls = [{ Recipient_Phone_Number: annaWritten, ...order }];
	expect(await say('Yes')).toContain('providerMessageId');
	const remembered = (model.conversations[1] ?? []).slice(1);
	expect(remembered.map(({ content }) => content)).toEqual([wish, model.sentence, 'Yes']);
	expect(await accepted(templates)).toMatchObject([
		{ phone: anna, templateName: 'order_update', parameters: ['Anna', '12:30'] },
	]);

	// A model may add what it likes to its call.
	const stranger = '+1 415 555 0199';
	const more = { allowedRecipients: stranger, options: { allowedRecipients: stranger } };
	model.calls = [{ ...more, ...order, Recipient_Phone_Number: stranger }];
	expect(await say('Now to my friend')).toContain('Allowed Recipients does not');
	expect(await accepted(templates)).toHaveLength(1);
});

test.each([
	[2, 'approved'],
	[3, 'cannot refund'],
])('approve-refund: link %s decides', async (link, text) => {
	const execution = await submit('approve-refund', ['1042', '90', 'anna@host.example'], 'waiting');
	const [question] = await accepted(templates);
	const { parameters } = question as { parameters: string[] };
	expect(parameters.slice(0, 2)).toEqual(['1042', '90']);
	const url = parameters[link] ?? '';
	expect(await (await fetch(url)).text()).toContain('Amount: 90');
	await fetch(url, { method: 'POST' });
	expect((await n8n.waitForExecution(execution.id)).error).toBeUndefined();
	const mail = { to: 'anna@host.example', text: containing(text) };
	expect(await accepted('/email/send')).toMatchObject([mail]);
});

test('approve-refund has the deputy called if the manager does not answer', async () => {
	const refund = { Order: '1042', Amount: '90', Email: 'anna@host.example' };
	const pinData = {
		'Refund Form': [{ json: refund }],
		'Ask Manager': [{ json: { ...refund, answered: false } }],
	};
	await ran('approve-refund', 'Refund Form', (text) =>
		JSON.stringify({ ...JSON.parse(text), pinData }),
	);
	const audioName = containing('refund for order 1042');
	expect(await accepted('/voice/call')).toMatchObject([{ audioName }]);
	expect(await accepted('/email/send')).toEqual([]);
});

test('media-from-form uploads the file and sends it', async () => {
	const file = new File(['%PDF-1.4 bill'], 'bill.pdf', { type: 'application/pdf' });
	await submit('media-from-form', [annaWritten, 'Your bill', file]);
	const [upload] = await sandbox.control.journal({ kind: 'request', path: '/chat/upload' });
	expect(upload?.body).toMatchObject({ files: [{ filename: 'bill.pdf', size: 13 }] });
	const bill = { mediaId: anyText, caption: 'Your bill', filename: 'bill.pdf' };
	const sent = { phone: anna, type: 'document', ...bill };
	expect(await accepted('/chat/send-media')).toEqual([sent]);
});

test('auto-reply answers each sender once a day, and no STOP', async () => {
	await receive('auto-reply', [
		[anna, 'Are you open?'],
		[anna, 'Hello?'],
		[ben, ' “Stop!” '],
		[ben, 'Can I stop by today?'],
	]);
	const replies = await accepted('/chat/send');
	expect(replies).toMatchObject([
		{ phone: anna, message: containing('"Are you open?"') },
		{ phone: ben, message: containing('stop by today') },
	]);
	expect(replies).toHaveLength(2);
});

test('welcome-from-form welcomes each number once', async () => {
	const id = await publishedExample('welcome-from-form');
	for (const [index, phone] of ['07700 900210', annaWritten, '+44 7700 900211'].entries()) {
		expect((await postForm('welcome-from-form', [' Anna ', phone])).status).toBe(200);
		await goodExecutions(id, index + 1);
	}
	const welcome = { parameters: ['Anna', anyText] };
	expect(await accepted(templates)).toMatchObject([
		{ phone: anna, ...welcome },
		{ phone: ben, ...welcome },
	]);
});

test.each<[string, number, 'Failed' | 'Read' | 'rejected', number, number]>([
	['delivered', 2, 'Read', 1, 0],
	['not delivered', 2, 'Failed', 1, 1],
	['rejected', 1, 'rejected', 0, 1],
])('error-alert texts once an hour for each workflow; text %s', async (...row) => {
	const [, times, outcome, texted, called] = row;
	// An hour must not end between two failures.
	const id = await publishedExample('error-alert', (text) =>
		text.replaceAll('yyyy-MM-dd HH', 'yyyy'),
	);
	if (outcome !== 'rejected') await sandbox.control.setLifecycle({ messageOutcome: outcome });
	else await sandbox.control.addFault({ kind: 'status', status: 400, path: templates });
	const hook = node('Hook', 'n8n-nodes-base.webhook', { path: 'failing', options: {} });
	const stop = node('Stop', 'n8n-nodes-base.stopAndError', { errorMessage: 'No\nstock' });
	const failing = chain('Shop', [{ ...hook, webhookId: 'failing' }, stop]);
	published.push(await n8n.createPublished({ ...failing, settings: { errorWorkflow: id } }));
	for (let time = 1; time <= times; time++) {
		await fetch(`${n8n.url}/webhook/failing`);
		await goodExecutions(id, time);
	}
	const texts = map(await accepted(templates), 'parameters');
	expect(texts).toEqual(Array(texted).fill(['Shop', 'No stock']));
	expect(await accepted('/voice/call')).toHaveLength(called);
});
