import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import type { Browser } from 'playwright-core';
import {
	attachN8n,
	chain,
	connect,
	items,
	joined,
	manualTrigger,
	messagingService,
	messagingServiceTrigger,
	node,
	noOp,
	packageName,
	rootFolder,
	waitFor,
	type CredentialRef,
	type NodeExtra,
} from '../../harness';
import { example, exampleFiles } from '../../scripts/start/examples';
import { startSandbox, type Sandbox } from '../../sandbox';
import { CredentialDialog, Editor, NodePanel, NodeView, takePicture } from '../support/editor';
import { startBrowser } from '../support/editor/browser';

/** Going to a page of the editor takes seconds, so tests go on in the window of the one before. */
const n8n = attachN8n();
let browser: Browser;
let sandbox: Sandbox;
let credential: CredentialRef;
let editor: Editor;

beforeAll(async () => {
	[browser, sandbox] = await Promise.all([startBrowser(), startSandbox()]);
	const { baseUrl, keys } = sandbox;
	credential = await n8n.createCredential('Views', { baseUrl, apiKey: keys.production });
	editor = await Editor.open(browser, n8n.session);
});
afterAll(async () => {
	await browser.close();
	await sandbox.close();
});

const template = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	templateName: 'order_update',
};

const sendNode = (parameters: INodeParameters, extra: NodeExtra = {}) =>
	messagingService({ ...template, ...parameters }, credential, { name: 'Send', ...extra });

/** The view of the node "Send" in a new workflow. */
async function openSend(phone: string): Promise<NodeView> {
	const workflow = chain(`Send to ${phone}`, [manualTrigger(), sendNode({ phone })]);
	await editor.openWorkflow(await n8n.createWorkflow(workflow));
	return await NodeView.open(editor, 'Send');
}

beforeEach(async () => {
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
});

test('the node is found by what it does, and so are its actions', async () => {
	await editor.openWorkflow(await n8n.createWorkflow(chain('Node panel', [manualTrigger()])));
	const panel = await NodePanel.open(editor);
	const found = panel.entry('Messaging Service');
	for (const text of [
		'text message',
		'sms',
		'messenger',
		'broadcast',
		'campaign',
		'phone call',
		'low balance',
		'approval',
		'notify',
		'verification code',
		'2fa',
		'send file',
		'bulk sms',
		'text to speech',
		'dial',
	]) {
		await panel.search('nothing of that name');
		await found.waitFor({ state: 'detached' });
		await panel.search(text);
		await waitFor(`"${text}" to find it`, async () => (await found.isVisible()) || undefined);
	}
	await panel.search('send template');
	await panel.openNode('Messaging Service');
	await panel.entry('Send a template message').waitFor();
	await takePicture(editor, 'search-send-template', true);
	await panel.entry('Send a template message').click();
	const view = new NodeView(editor);
	expect(await view.field('resource').inputValue()).toBe('Chat Message');
	expect(await view.field('operation').inputValue()).toBe('Send Template');
	await view.close();
});

test('what a node gives is shown before anything has been sent', async () => {
	const parameters = { resource: 'chatMessage', operation: 'sendTemplate' };
	const send = messagingService(parameters, credential, { name: 'Send' });
	const workflow = chain('Preview', [manualTrigger(), send, noOp('Next')]);
	await editor.openWorkflow(await n8n.createWorkflow(workflow));
	await editor.node('Send').getByText('Send Template: Chat Message', { exact: true }).waitFor();
	const view = await NodeView.open(editor, 'Next');
	expect(await view.input('providerMessageId')).toContain('remainingBalance');
	await takePicture(editor, 'preview', true);
	expect(await sandbox.control.messages()).toEqual([]);
});

test('the notes of the examples are as high as their texts', async () => {
	const notes = exampleFiles()
		.flatMap((file) => example(file).nodes)
		.filter(({ type }) => type === 'n8n-nodes-base.stickyNote')
		.map((note, index): INode => {
			const position: INode['position'] = [1_100 * (index % 6), 500 * Math.floor(index / 6)];
			return { ...note, id: String(index), name: String(index), position };
		});
	const workflow = { name: 'Notes', nodes: notes, connections: {} };
	await editor.openWorkflow(await n8n.createWorkflow(workflow));
	const shown = editor.byId('sticky');
	await shown.nth(notes.length - 1).waitFor();
	// Whatever the zoom is: where the text ends, as a part of the note's height.
	const ends = await shown.evaluateAll((all) =>
		all.map((note) => {
			const { top, height } = note.getBoundingClientRect();
			const bottoms = [...note.querySelectorAll('p')].map(
				(text) => text.getBoundingClientRect().bottom,
			);
			return {
				title: note.querySelector('h2, h3')?.textContent,
				end: (Math.max(...bottoms) - top) / height,
			};
		}),
	);
	const sizes = new Map(
		notes.map(({ parameters: { content, height } }) => [
			/^#+ (.*)/.exec(String(content))?.[1] ?? '',
			Number(height),
		]),
	);
	const wrong = ends.flatMap(({ title, end }) => {
		const height = sizes.get(title ?? '') ?? 0;
		const text = Math.round(end * height);
		// A line may break elsewhere while n8n's font is on its way.
		return text <= height - 8 && text >= height - 60 ? [] : [{ title, height, text }];
	});
	expect(wrong).toEqual([]);
});

test('the sending number is chosen from a list, and the output shows what the service said', async () => {
	const view = await openSend('+91 98765 43210');
	expect(await view.chooseFromList('+91 98', '919812345670')).toEqual([
		'919812345670 · quality GREEN',
	]);
	// And back to none.
	await view.chooseFromList('default number', 'Default Number');
	await view.chooseFromList('+91 98', '919812345670');
	await takePicture(editor, 'number-chosen');
	await view.execute();
	const output = await view.output('providerMessageId');
	const [message, ...others] = await sandbox.control.messages();
	expect(others).toEqual([]);
	expect(message).toMatchObject({ to: '919876543210' });
	expect(output).toContain(message?.providerMessageId);
	await takePicture(editor, 'send-template', true);
});

test('a number that cannot be right is refused, and mended without leaving the view', async () => {
	const view = await openSend('98-76');
	await view.execute();
	const { message, description } = await view.failure('98-76');
	expect(message).toBe('Recipient Phone Number "98-76" has 4 digits: 7 to 15 are needed');
	expect(description).toContain('Correct the parameter "Recipient Phone Number"');
	expect(await sandbox.control.messages()).toEqual([]);
	await takePicture(editor, 'bad-number', true);

	await view.field('phone').fill('919876543210');
	await view.execute();
	await view.output('providerMessageId');
	expect(await sandbox.control.messages()).toHaveLength(1);
});

test('the error output shows the failed item and why it failed', async () => {
	const send = sendNode({ phone: '={{ $json.phone }}' }, { onError: 'continueErrorOutput' });
	const flow = chain('Error output', [
		manualTrigger(),
		items([{ phone: '919876543210' }, { phone: '12' }]),
		send,
		noOp('Sent'),
	]);
	const failed = { ...noOp('Not sent'), position: [660, 200] as [number, number] };
	await editor.openWorkflow(
		await n8n.createWorkflow({
			...flow,
			nodes: [...flow.nodes, failed],
			connections: joined(flow.connections, connect([send, failed], 1)),
		}),
	);
	await editor.executeWorkflow();
	await editor.node('Not sent').getByTestId('canvas-node-status-success').waitFor();
	await takePicture(editor, 'error-output', true);

	const view = await NodeView.open(editor, 'Not sent');
	const output = await view.output('notSent');
	expect(output).toContain('Recipient Phone Number "12" has 2 digits');
	expect(output).not.toContain('919876543210');
	await takePicture(editor, 'error-output-item');
	expect((await sandbox.control.messages()).map(({ to }) => to)).toEqual(['919876543210']);
});

test('the output shows what is not as it should be, and what to do', async () => {
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
	const listening = await n8n.createWorkflow(chain('Listening', [trigger]));
	await n8n.publish(listening);
	try {
		for (const { id } of await sandbox.control.webhooks()) await sandbox.control.removeWebhook(id);
		const check = messagingService({ resource: 'account', operation: 'checkSetup' }, credential);
		await editor.openWorkflow(await n8n.createWorkflow(chain('Check', [manualTrigger(), check])));
		const view = await NodeView.open(editor, 'Messaging Service');
		await view.execute();
		const output = await view.output('no Messaging Service Trigger of it hears anything');
		expect(output).toContain('unpublish it, then publish it');
		const row = editor.byId('output-panel').getByText('no Messaging Service Trigger of it hears');
		await row.scrollIntoViewIfNeeded();
		await takePicture(editor, 'check-setup', true);
	} finally {
		await n8n.unpublish(listening);
	}
});

test('a credential is entered, tested and mended', async () => {
	const dialog = await CredentialDialog.create(editor, 'messaging', 'Messaging Service API');
	await dialog.fill('baseUrl', sandbox.baseUrl);
	await dialog.fill('apiKey', 'not-a-key');
	const failure = await dialog.failure('Invalid or missing API key');
	expect(failure).toContain('Couldn’t connect with these settings');
	expect(failure).toContain('Settings > API Keys');
	await takePicture(editor, 'credential-refused');

	await dialog.fill('apiKey', sandbox.keys.production);
	expect(await dialog.success()).toContain('Connection tested successfully');
	await takePicture(editor, 'credential', true);
	await dialog.close();
});

test("nodes have the package's icon of the theme", async () => {
	const workflow = chain('Themes', [
		messagingServiceTrigger({}, credential),
		messagingService({ resource: 'account', operation: 'getBalance' }, credential),
	]);
	await editor.openWorkflow(await n8n.createWorkflow(workflow));
	const addresses = async () =>
		await Promise.all(
			workflow.nodes.map(
				async ({ name }) => await editor.node(name).locator('img').getAttribute('src'),
			),
		);
	let shown = '';
	for (const [theme, file] of [
		['light', 'messagingService.svg'],
		['dark', 'messagingService.dark.svg'],
	] as const) {
		await editor.page.emulateMedia({ colorScheme: theme });
		shown = await waitFor(`one icon in the ${theme} theme`, async () => {
			const [address, ...others] = new Set(await addresses());
			return address && address !== shown && others.length === 0 ? address : undefined;
		});
		const served = await editor.page.request.get(new URL(shown, n8n.url).href);
		expect(served.headers()['content-type']).toContain('image/svg+xml');
		expect(await served.text()).toBe(readFileSync(path.join(rootFolder, 'icons', file), 'utf8'));
		await takePicture(editor, `theme-${theme}`);
	}
	await editor.page.emulateMedia({ colorScheme: 'light' });
});

/** Opens a workflow with an AI agent and a tool of it for each of these parameters. @returns its id */
async function openTools(parameters: INodeParameters[]): Promise<string> {
	const tools = parameters.map(
		(own, index): INode => ({
			...node(`Tool ${index}`, `${packageName}.messagingServiceTool`, own),
			credentials: { messagingServiceApi: credential },
		}),
	);
	const agent = node('Agent', '@n8n/n8n-nodes-langchain.agent', {}, { typeVersion: 3.1 });
	const toAgent = { ai_tool: [[{ node: 'Agent', type: 'ai_tool' as const, index: 0 }]] };
	const connections = Object.fromEntries(tools.map(({ name }) => [name, toAgent]));
	const nodes = [manualTrigger(), agent, ...tools];
	const id = await n8n.createWorkflow({ name: 'Tools', nodes, connections });
	await editor.openWorkflow(id);
	return id;
}

test('a campaign takes JSON from the model, and a click lets the model fill a field', async () => {
	await openTools([{ resource: 'bulkCampaign', operation: 'create' }]);
	const view = await NodeView.open(editor, 'Tool 0');
	expect(await view.field('recipientsSource').inputValue()).toBe('JSON');
	const overrides = editor.byId('from-ai-override-button');
	await overrides.first().waitFor();
	await takePicture(editor, 'tool');
	const count = await overrides.count();

	await overrides.first().click();
	await editor.page.getByText('Defined automatically by the').waitFor();
	expect(await overrides.count()).toBe(count - 1);
	await view.close();
});

const sending = {
	batching: { batch: { batchSize: 5, batchInterval: 0 } },
	maxSends: 100,
	timeout: 60_000,
	resendUnknown: false,
	idempotencyKey: '',
};
const waiting = { maxWait: 300, pollInterval: 5 };
const sendingFields = 'batchSize batchInterval maxSends timeout resendUnknown idempotencyKey';

/** A field of each kind: of the node, of a list, of a collection, and such as others show. */
const tools: Array<[parameters: INodeParameters, fields: string]> = [
	[
		{
			...{ resource: 'chatMessage', operation: 'sendTemplate', header: 'json' },
			parametersUi: { parameter: [{ value: '' }] },
			options: { ...sending, ...waiting, allowBlankParameters: false, waitForStatus: 'Delivered' },
		},
		`phone templateName configId language value headerParametersJson allowBlankParameters maxWait pollInterval ${sendingFields}`,
	],
	[
		{
			...{ resource: 'voiceCall', operation: 'create', content: 'text', voiceRoute: 'ownNumber' },
			options: { ...sending, ...waiting, waitForCompletion: true },
		},
		`to text routeNumber fromNumber recipientName maxWait pollInterval waitForCompletion ${sendingFields}`,
	],
	[
		{
			...{ resource: 'chatMessage', operation: 'getMany', returnAll: false },
			filters: { phone: '', providerMessageId: '', sentAfter: '', sentBefore: '' },
		},
		'returnAll limit providerMessageId phone sentAfter sentBefore',
	],
];

test('the model may fill every field but choices from a list', async () => {
	const id = await openTools(tools.map(([parameters]) => parameters));
	await editor.node('Tool 0').waitFor();
	for (const [index, [, text]] of tools.entries()) {
		const fields = text.split(' ').sort();
		const view = await NodeView.route(editor, id, `tool-${index}`);
		const shown = await waitFor(`${text} of tool ${index}`, async () => {
			const all = await view.fieldsForModel();
			return all.length < fields.length ? undefined : all.sort();
		});
		expect(shown).toEqual(fields);
		// From one view to the next n8n shows some of the former fields for a while.
		await view.close();
	}
});

// Last: what it sets in the browser stays.
test('the values of a template are numbered as its placeholders are', async () => {
	const parameters = {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		parametersUi: { parameter: [{ value: 'Anna' }, { value: '12:30' }] },
	};
	const send = messagingService(parameters, credential, { name: 'Send' });
	const id = await n8n.createWorkflow(chain('Numbered', [manualTrigger(), send]));
	await editor.openWorkflow(id);
	const view = await NodeView.open(editor, 'Send');
	await editor
		.byId('ndv')
		.getByText('The first value is for {{1}}, the second for {{2}}')
		.waitFor();
	await view.close();

	// n8n has a new form of lists, which it shows to some users; only this one has room for numbers.
	await editor.page.evaluate("featureFlags.override('048_collection_overhaul', 'variant')");
	await NodeView.open(editor, 'Send');
	const list = editor.byId('ndv');
	await list.getByText('{{1}}', { exact: true }).waitFor();
	await list.getByText('{{2}}', { exact: true }).waitFor();
	await takePicture(editor, 'numbered');
});
