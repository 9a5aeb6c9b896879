import type { INodeParameters } from 'n8n-workflow';
import type { Browser, Locator } from 'playwright-core';
import {
	attachN8n,
	chain,
	connect,
	items,
	joined,
	manualTrigger,
	messagingService,
	messagingServiceTrigger,
	noOp,
	waitFor,
	within,
	type NodeExtra,
	type WorkflowJson,
} from '../../harness';
import { useSandbox } from '../support/e2e/sandbox';
import { close, Editor, startBrowser } from '../support/editor/editor';
import { NodeView } from '../support/editor/nodeView';
import { takePicture } from '../support/editor/picture';

/** Going to a page of the editor takes seconds, so tests go on in the window of the one before. */
const n8n = attachN8n();
let browser: Browser;
let editor: Editor;
const { sandbox, credential } = useSandbox(() => n8n);

beforeAll(async () => {
	browser = await startBrowser();
	editor = await Editor.open(browser, n8n.session);
});
afterAll(async () => await close(browser));

const template = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	templateName: 'order_update',
};

const sendNode = (parameters: INodeParameters, extra: NodeExtra = {}) =>
	messagingService({ ...template, ...parameters }, credential, { name: 'Send', ...extra });

/** Opens a new workflow. @returns its id */
async function open(workflow: WorkflowJson): Promise<string> {
	const id = await n8n.createWorkflow(workflow);
	await editor.openWorkflow(id);
	return id;
}

/** Opens a node of a new workflow. */
async function openNode(name: string, workflow: WorkflowJson): Promise<NodeView> {
	await open(workflow);
	return await NodeView.open(editor, name);
}

beforeEach(async () => await sandbox.control.reset());

/** Opens the panel of nodes and searches for a node by each of these texts; returns its entry. */
async function found(name: string, texts: string[]): Promise<Locator> {
	await open(chain('Node panel', [manualTrigger()]));
	await editor.byId('node-creator-plus-button').click();
	const search = editor.byId('node-creator-search-bar');
	for (const text of texts) {
		await search.fill('nothing of that name');
		await editor.entry(name).waitFor({ state: 'detached' });
		await search.fill(text);
		await editor.entry(name).waitFor();
	}
	return editor.entry(name);
}

test('the node is found by its jobs, and so are its actions', async () => {
	const node = await found('Messaging Service', [
		...['text message', 'messenger', 'broadcast', 'campaign', 'approval'],
		...['phone call', 'text to speech', 'dial', 'low balance', 'notify', 'send file'],
		...['verification code', '2fa', 'get message', 'message status', 'delivery report'],
		'send template',
	]);
	const listed = editor.entry('Send template message');
	await editor.clickUntil(node, listed);
	await takePicture(editor, 'search-send-template');
	await editor.clickUntil(listed, editor.byId('ndv'));
	const view = new NodeView(editor);
	expect(await view.field('resource').inputValue()).toBe('Chat Message');
	expect(await view.field('operation').inputValue()).toBe('Send Template');
	await view.close();
});

test('the dashboard trigger is found by its events, and shows the address to enter', async () => {
	// n8n leaves out "Trigger" in its list.
	const node = await found('Messaging Service Dashboard', [
		...['incoming message', 'message received', 'opt out', 'email status', 'bounce'],
	]);
	const listed = editor.entry('On message received');
	await editor.clickUntil(node, listed);
	await editor.clickUntil(listed, editor.byId('ndv'));
	await editor.byId('ndv').getByText('Webhook URLs').first().click();
	await editor.byId('ndv').getByText('/webhook-test/').first().waitFor();
	await new NodeView(editor).close();
});

test('the output of a node is previewed before anything has been sent', async () => {
	await open(chain('Preview', [manualTrigger(), sendNode({ templateName: '' }), noOp('Next')]));
	await editor.node('Send').getByText('Send Template: Chat Message', { exact: true }).waitFor();
	const view = await NodeView.open(editor, 'Next');
	expect(await view.input('providerMessageId')).toContain('remainingBalance');
	await takePicture(editor, 'preview');
	expect(await sandbox.control.messages()).toEqual([]);
});

test('the sending number is chosen from a list, and the output shows the response', async () => {
	const send = sendNode({ phone: '+44 7700 900210' });
	const view = await openNode('Send', chain('Sending number', [manualTrigger(), send]));
	await view.addTo('Add Field', 'Sending Number');
	expect(await view.chooseFromList('+44 77', '447700900670')).toEqual([
		'447700900670 · quality GREEN',
	]);
	// And back to none.
	await view.chooseFromList('default number', 'Default Number');
	await view.chooseFromList('+44 77', '447700900670');
	await sandbox.control.setLifecycle({ enabled: true, messageOutcome: 'Delivered' });
	await view.addTo('Add option', 'Await Status');
	expect(await view.field('status').inputValue()).toBe('Delivered');
	expect(await view.field('maxWait').inputValue()).toBe('300');
	await view.execute();
	const output = await view.output('providerMessageId');
	const [message, ...others] = await sandbox.control.messages();
	expect(others).toEqual([]);
	expect(message).toMatchObject({ to: '447700900210', status: 'Delivered' });
	expect(output).toContain(message?.providerMessageId);
	await takePicture(editor, 'send-template');
});

test('an order is confirmed, and the last node shows that the message was delivered', async () => {
	await sandbox.control.setLifecycle({ enabled: true, messageOutcome: 'Delivered' });
	const send = sendNode({
		phone: '={{ $json.phone }}',
		parametersMode: 'json',
		parametersJson: '={{ [$json.name, $json.time] }}',
		options: { waitForStatus: { wait: { status: 'Delivered', maxWait: 60, pollInterval: 1 } } },
	});
	send.name = 'Confirm the order';
	const order = {
		...items([{ phone: '+44 7700 900210', name: 'Anna', time: '12:30' }]),
		name: 'New order',
	};
	await open(chain('Order confirmation', [manualTrigger(), order, send]));
	await editor.executeWorkflow();
	await editor.node(send.name).getByTestId('canvas-node-status-success').waitFor();
	await editor.clickUntil(editor.byId('logs-overview-header'), editor.byId('logs-overview-body'));
	// The last node is chosen.
	const output = editor.page.getByText('Delivered', { exact: true }).filter({ visible: true });
	await output.first().waitFor();
	await takePicture(editor, 'delivered');
});

test('the error output shows the failed item and why it failed', async () => {
	const send = sendNode({ phone: '={{ $json.phone }}' }, { onError: 'continueErrorOutput' });
	const flow = chain('Error output', [
		manualTrigger(),
		items([{ phone: '447700900210' }, { phone: '12' }]),
		send,
		noOp('Sent'),
	]);
	const failed = { ...noOp('Not sent'), position: [660, 200] as [number, number] };
	await open({
		...flow,
		nodes: [...flow.nodes, failed],
		connections: joined(flow.connections, connect([send, failed], 1)),
	});
	await editor.executeWorkflow();
	await editor.node('Not sent').getByTestId('canvas-node-status-success').waitFor();
	await takePicture(editor, 'error-output');

	const view = await NodeView.open(editor, 'Not sent');
	const output = await view.output('notSent');
	expect(output).toContain('Number with Country Code "12" needs 7 to 15 digits, but has 2');
	expect(output).not.toContain('447700900210');
	expect((await sandbox.control.messages()).map(({ to }) => to)).toEqual(['447700900210']);
});

test('the output of a check shows what is wrong, and what to do', async () => {
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
	const listening = await n8n.createPublished(chain('Listening', [trigger]));
	try {
		for (const { id } of await sandbox.control.webhooks()) await sandbox.control.removeWebhook(id);
		const check = messagingService({ resource: 'account', operation: 'checkSetup' }, credential);
		const view = await openNode(check.name, chain('Check', [manualTrigger(), check]));
		await view.execute();
		const verdict = 'No webhook is registered';
		const output = await view.output(verdict);
		expect(output).toContain('unpublish it, then publish it');
		await editor.byId('output-panel').getByText(verdict).scrollIntoViewIfNeeded();
		await takePicture(editor, 'check-setup');
	} finally {
		await n8n.unpublish(listening);
	}
});

/** Saves a credential and returns the result of its test. Presses Save again if n8n missed what was typed. */
async function saved(shown: Locator): Promise<string> {
	let saveAt = 0;
	await waitFor('the result of the test', async () => {
		if (await shown.isVisible()) return true;
		const isSaving = Date.now() > saveAt;
		if (isSaving) saveAt = Date.now() + 5_000;
		const more = editor.page.getByText('More details');
		const next = isSaving ? editor.byId('credential-save-button') : more;
		if (await next.isVisible()) await next.click({ timeout: 1_000 }).catch(() => {});
		return undefined;
	});
	return await shown.innerText();
}

test('a credential is entered, tested and corrected', async () => {
	const enter = async (field: string, value: string) =>
		await editor.byId(`parameter-input-${field}`).locator('input').fill(value);
	const settings = editor.byId('node-credentials-config-container');
	await editor.goTo('/home/credentials', editor.byId('add-resource-credential'));
	await editor.byId('add-resource-credential').click();
	await editor.byId('new-credential-type-select').locator('input').fill('messaging');
	const type = editor.byId('new-credential-type-select-option');
	await type.getByText('Messaging Service API', { exact: true }).click();
	await editor.byId('new-credential-type-button').click();
	await enter('baseUrl', sandbox.baseUrl);
	await enter('apiKey', 'not-a-key');
	const failure = await saved(settings.filter({ hasText: 'Invalid or missing API key' }));
	expect(failure).toContain('Couldn’t connect with these settings');
	expect(failure).toContain('Settings > API Keys');

	await enter('apiKey', sandbox.keys.production);
	const success = await saved(editor.byId('credentials-config-container-test-success'));
	expect(success).toContain('Connection tested successfully');
	await takePicture(editor, 'credential');
	await within('Escape', editor.page.keyboard.press('Escape'));
	await settings.waitFor({ state: 'hidden' });
});
