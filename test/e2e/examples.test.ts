import { omit } from 'lodash';
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
/** How Anna's number is written by a person. */
const annaWritten = '+44 7700 900210';
const containing = (text: string) => expect.stringContaining(text) as string;
const anyText = expect.any(String) as string;

// The names are those of the examples: n8n chooses a credential by its name at the import.
const model = useScriptedModel(() => n8n, 'OpenAI account');
beforeAll(async () => {
	sandbox = await startSandbox();
	await createCredentials(n8n, sandbox);
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
	const nodes = workflow.nodes.map((one) =>
		one.type === 'n8n-nodes-base.wait' ? { ...one, parameters } : one,
	);
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

/** Fills in settings that an example leaves empty. */
const withSettings =
	(settings: Record<string, string>): Change =>
	(text) =>
		Object.entries(settings).reduce(
			(all, [name, value]) =>
				all.replace(new RegExp(`("settings.${name}","type":"string","value":)""`), `$1"${value}"`),
			text,
		);

/** Makes it act on what a poll by hand gives, as if that were no sample. */
const asIfPolled: Change = (text) => text.replaceAll('$json.sample', '$json.none');

/** Pins what a poll by hand gave, but as no sample: nothing is sent to a sample. */
const pinned = (trial: Execution, trigger: string): Change => {
	const items = trial.json(trigger).map((json) => ({ json: omit(json, 'sample') }));
	return (text) => JSON.stringify({ ...JSON.parse(text), pinData: { [trigger]: items } });
};

/** Bodies of the requests that the service acted on. */
async function accepted(path: string): Promise<IDataObject[]> {
	const requests = await sandbox.control.journal({ kind: 'request', method: 'POST', path });
	return requests.filter(({ processed }) => processed).map(({ body }) => body as IDataObject);
}

/** Has the service send a template message, as another program of the account would. */
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

/** Fills in a form on its production page; gives the execution that it starts. */
async function submit(
	file: string,
	fields: Array<File | string>,
	until?: 'waiting',
): Promise<Execution> {
	const id = await publishedExample(file);
	const webhookId = example(`${file}.json`).nodes.find(({ type }) =>
		type.endsWith('.formTrigger'),
	)?.webhookId;
	const body = new FormData();
	fields.forEach((field, index) => body.append(`field-${index}`, field));
	const post = async (password: string) => {
		const basic = Buffer.from(`${login.user}:${password}`).toString('base64');
		const headers = { authorization: `Basic ${basic}` };
		return await fetch(`${n8n.url}/form/${webhookId}`, { method: 'POST', headers, body });
	};
	expect((await post('wrong')).status).toBe(401);
	expect((await post(login.password)).status).toBe(200);
	const execution = await n8n.waitForExecution(await n8n.newestExecution(id), until);
	expect(execution.error).toBeUndefined();
	return execution;
}

// send-template is run in startup.test.ts and by an editor test.
test('template-with-header sends one message with its header', async () => {
	await ran('template-with-header', start);
	const headerValue = 'https://host.example/image.png';
	expect(await accepted('/chat/bulk-send')).toMatchObject([
		{ recipients: [{ phone: anna, params: ['Anna', '12:30'], headerValue }] },
	]);
});

test('message-delivered reports the message', async () => {
	const id = await publishedExample('message-delivered');
	await sendTemplate(anna);
	const [execution] = await n8n.waitForExecutions(id, 1);
	expect(execution?.json('Delivery Report')).toEqual([
		{ providerMessageId: anyText, report: `order_update to ${anna}: delivered` },
	]);
});

test('balance-alert is silent while every balance is high', async () => {
	await sandbox.control.setAccount({ chatBalance: 500, emailBalance: 100, voiceMins: 60 });
	const execution = await ran('balance-alert', 'Every Hour');
	expect(execution.runs('Send Alert')).toEqual([]);
});

test.each([{ chatBalance: 499 }, { emailBalance: 99 }, { voiceMins: 59 }])(
	'balance-alert mails the owner %j',
	async (balance) => {
		await sandbox.control.setAccount(balance);
		await ran('balance-alert', 'Every Hour');
		const { email: to } = await sandbox.control.account();
		const text = containing(`: ${Object.values(balance)[0]}`);
		expect(await accepted('/email/send')).toMatchObject([{ to, text, important: true }]);
	},
);

test('daily-setup-check mails what is not as it should be, with what to do', async () => {
	await ran('daily-setup-check', 'Every Morning');
	const [mail] = await accepted('/email/send');
	// The n8n of the tests has nothing registered.
	expect(mail?.subject).toBe('Messaging set-up: 1 to look at');
	expect(mail?.text).toMatch(/^registrations: .+\n.+publish/);
});

describe('campaign-outcome', () => {
	test('calls those whose message has failed', async () => {
		await sandbox.control.setLifecycle({ messageOutcome: 'Failed' });
		const execution = await ran('campaign-outcome', start);
		const delivery = { status: 'Failed', record: expect.objectContaining({ to: anna }) as object };
		expect(execution.json('Get Outcome')).toEqual([
			expect.objectContaining({ name: 'Anna', delivery }),
			expect.objectContaining({ name: 'Ben' }),
		]);
		const calls = await accepted('/voice/call');
		expect(calls.map(({ to }) => to)).toEqual([`+${anna}`, `+${ben}`]);
		expect(await accepted(templates)).toEqual([]);
	});

	test('sends another template to those who have not got theirs by then', async () => {
		await sandbox.control.setLifecycle({ enabled: false });
		const execution = await ran('campaign-outcome', start);
		const again = await accepted(templates);
		expect(again.map(({ phone }) => phone)).toEqual([anna, ben]);
		expect(await accepted('/voice/call')).toEqual([]);
		expect(execution.runs('Look Into It')).toEqual([]);
	});
});

test('opt-outs leaves out of a campaign whoever has replied STOP', async () => {
	await ran('opt-outs', 'Set Up');
	const campaign = async () => (await ran('opt-outs', start)).json('Send Campaign');
	expect(await campaign()).toMatchObject([{ total: 2, excludedCount: 0 }]);
	const secret = 'only-for-this-test';
	const id = await publishedExample('opt-outs', withSettings({ secret }));
	const reply = async (sender: string, content: string, guess = secret) => {
		return await postTo(`messaging-opt-outs?secret=${guess}`, { sender, content });
	};
	expect(await reply(ben, 'STOP', 'wrong')).toBe(403);
	expect(await reply(ben, 'When do you come?')).toBe(200);
	expect(await reply('+44 (7700) 900-210', ' “Stop!” ')).toBe(200);
	await n8n.waitForExecutions(id, 3);
	expect(await campaign()).toMatchObject([
		{ total: 1, excludedCount: 1, excluded: [{ row: 1, value: annaWritten }] },
	]);
});

test('bulk-campaign-from-spreadsheet sends to good rows and gives the others back', async () => {
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

test('order-confirmation confirms, and calls whom no message reaches', async () => {
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
		const rows = node('Rows', 'n8n-nodes-base.dataTable', {
			...{ resource: 'row', operation: 'get', filters: {}, returnAll: true },
			dataTableId: { __rl: true, mode: 'name', value: 'Message deliveries' },
		});
		const reading = await n8n.tryOut(chain('Read rows', [manualTrigger(), rows]));
		return reading.json('Rows').filter(({ recipient }) => recipient === own);
	};
	const time = expect.stringMatching(/^\d{4}-/) as string;
	const id = await publishedExample('delivery-report');
	await sendTemplate(anna);
	await sendTemplate(unreachable);
	const executions = await n8n.waitForExecutions(id, 5);
	expect(executions.map(({ error }) => error)).toEqual(Array(5).fill(undefined));
	const failed = { sentAt: time, deliveredAt: null, readAt: null, failedAt: time };
	expect(await rowsOf(unreachable)).toMatchObject([failed]);
	const read = { sentAt: time, deliveredAt: time, readAt: time, failedAt: null };
	expect(await rowsOf(anna)).toMatchObject([{ template: 'order_update', ...read }]);

	await n8n.unpublish(id);
	const missed = '447700900277';
	await sendTemplate(missed);
	await sandbox.control.settle();
	const trigger = 'On Missed Change';
	await ran('delivery-report', trigger);
	expect(await rowsOf(missed)).toEqual([]);
	await ran('delivery-report', trigger, (text) =>
		asIfPolled(text).replace('"Sent","Delivered",', ''),
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

test('mcp-server offers its tools to whom has the header, and says in words what it refuses', async () => {
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

test('ai-agent asks before it sends, and knows what a yes belongs to', async () => {
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

test('media-from-form uploads the file and sends it', async () => {
	const file = new File(['%PDF-1.4 bill'], 'bill.pdf', { type: 'application/pdf' });
	await submit('media-from-form', [annaWritten, 'Your bill', file]);
	const [upload] = await sandbox.control.journal({ kind: 'request', path: '/chat/upload' });
	expect(upload?.body).toMatchObject({ files: [{ filename: 'bill.pdf', size: 13 }] });
	const bill = { mediaId: anyText, caption: 'Your bill', filename: 'bill.pdf' };
	const sent = { phone: anna, type: 'document', ...bill };
	expect(await accepted('/chat/send-media')).toEqual([sent]);
});

test('unknown-sends sends again only what did not arrive', async () => {
	const cut = async (phone: string, when: 'after' | 'before') =>
		await sandbox.control.addFault({ kind: 'cut', path: templates, when, bodyContains: phone });
	await cut(ben, 'after');
	await cut('447700900212', 'before');
	const execution = await ran('unknown-sends', start);

	const messages = await accepted(templates);
	expect(messages.map(({ phone }) => phone).sort()).toEqual([anna, ben, '447700900212']);
	expect(execution.json('Sent')).toHaveLength(1);
	expect(execution.json('Was Sent')).toMatchObject([{ phone: ben, name: 'Ben', status: anyText }]);
	const [reason, whatToDo] = ['starts with a zero', 'Number with Country Code'].map(containing);
	expect(execution.json('Not Sent')).toEqual([{ phone: '0123', reason, whatToDo }]);
});

test('unanswered-calls sends a message to those who did not answer', async () => {
	const [call] = await sandbox.control.addCalls(1, { callStatus: 'no-answer', to: anna });
	const trigger = 'When a Call Ends';
	const trial = await ran('unanswered-calls', trigger);
	expect(trial.json(trigger)).toMatchObject([{ sample: true }]);
	expect(await accepted(templates)).toEqual([]);
	const execution = await ran('unanswered-calls', trigger, pinned(trial, trigger));
	expect(execution.json(trigger)).toMatchObject([{ event: 'ended', id: call }]);
	expect(await accepted(templates)).toMatchObject([
		{ phone: anna, parameters: ['customer', '12:30'] },
	]);
});

test('webhook-watch mails which webhook is lost', async () => {
	const url = 'https://n8n.example/webhook/lost';
	await askService(sandbox, '/chat/webhooks', { url });
	// Run by hand it has a sample only, on which it does not act.
	const trigger = 'On Lost Webhook';
	const trial = await ran('webhook-watch', trigger);
	expect(await accepted('/email/send')).toEqual([]);
	await ran('webhook-watch', trigger, pinned(trial, trigger));
	const { email: to } = await sandbox.control.account();
	const text = containing(`webhook.removed\n\nURL: ${url}\n`);
	expect(await accepted('/email/send')).toMatchObject([{ to, text }]);
});

test('auto-reply answers an incoming message, and the same sender only once a day', async () => {
	const id = await publishedExample('auto-reply');
	const { nodes } = example('auto-reply.json');
	const { webhookId } = nodes.find((one) => one.webhookId !== undefined) ?? {};
	const url = `${n8n.url}/webhook/${webhookId}/webhook`;
	const { verificationToken: token } = otherCredentials[exampleDashboard].data;
	await sandbox.control.addDashboardWebhook({ url, token, events: ['messageReceived'] });
	for (const [index, [sender, content]] of [
		[anna, 'Are you open?'],
		[anna, 'Hello?'],
		[ben, 'STOP'],
	].entries()) {
		await sandbox.control.receiveMessage({ sender, content });
		const executions = await n8n.waitForExecutions(id, index + 1);
		expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
	}
	const replies = await accepted('/chat/send');
	expect(replies).toMatchObject([
		{ phone: anna, message: containing('"Are you open?"') },
		{ phone: ben, message: containing('"STOP"') },
	]);
	expect(replies).toHaveLength(2);
});
