import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { startSandbox, type Sandbox } from '../../sandbox';
import { createCredentials, otherCredentials } from '../../scripts/start/examples';
import { close, Editor, startBrowser } from '../support/editor/editor';
import { NodeView } from '../support/editor/nodeView';
import { takePicture } from '../support/editor/picture';
import { rootFolder, startN8n, waitFor, within, type N8n } from '../../harness';

/** An n8n as a newcomer has it: the package, one credential of each kind, and no workflow. */
let n8n: N8n;
let sandbox: Sandbox;
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
	[n8n, sandbox, browser] = await Promise.all([
		startN8n({ env: { N8N_DISABLE_UI: 'false' } }),
		startSandbox(),
		startBrowser(),
	]);
	await createCredentials(n8n, sandbox);
	editor = await Editor.open(browser, n8n.session);
});

beforeEach(async () => await sandbox.control.reset());

afterAll(async () => {
	await close(browser);
	await n8n.stop();
	await sandbox.close();
});

/** Adds an action, or an event, to an empty workflow, from the search on. */
async function add(search: string, entry: string, found = 'Messaging Service'): Promise<NodeView> {
	await editor.openEmptyWorkflow();
	await editor.byId('canvas-plus-button').click();
	await editor.byId('node-creator-search-bar').fill(search);
	const isEvent = entry.startsWith('On ');
	const listed = editor.entry(entry);
	const actions = editor.page.getByText(/^Actions \(\d+\)$/);
	await editor.clickUntil(editor.entry(found), isEvent ? listed : actions);
	if (!isEvent) await editor.clickUntil(actions, listed);
	await editor.clickUntil(listed, editor.byId('ndv'));
	return new NodeView(editor);
}

const executeStep = async () => await editor.byId('node-execute-button').click();

/** Requests that could reach somebody or cost something. */
const posts = async () =>
	(await sandbox.control.journal({ kind: 'request', method: 'POST' })).filter(
		({ processed }) => processed,
	);

type Failure = Awaited<ReturnType<NodeView['failure']>>;

/** Runs the node with an invalid value, which sends nothing; then with a valid one. */
async function runWith(
	view: NodeView,
	field: Locator,
	invalid: string,
	value: string,
	look: (failure: Failure) => unknown = () => {},
): Promise<void> {
	await field.fill(invalid);
	await executeStep();
	const failure = await view.failure(invalid);
	expect(failure.description).toContain('This node sent nothing.');
	await look(failure);
	expect(await posts()).toEqual([]);
	await field.fill(value);
	await executeStep();
}

const number = '+44 7700 900210';

/** As one dials it at home. */
const national = '07700 900210';

test('a first message', async () => {
	const view = await add('text message', 'Send template message');
	await view.field('templateName').fill('order_update');
	for (const [index, value] of ['Anna', '12:30'].entries()) {
		await view.add('Add Parameter').click();
		await view.field('value').nth(index).fill(value);
	}
	await runWith(view, view.field('phone'), national, number, async ({ message, description }) => {
		expect(message).toMatch(/^Number with Country Code "07700 900210" starts with a zero/);
		expect(description).toContain("Correct the parameter 'Number with Country Code'");
		await takePicture(editor, 'bad-number');
	});
	await view.output('providerMessageId');
	expect(await sandbox.control.messages()).toEqual([
		expect.objectContaining({ to: '447700900210' }),
	]);
});

/** Imports an example into an empty workflow as the README says. */
async function importExample(name: string): Promise<void> {
	await editor.openEmptyWorkflow();
	await editor.byId('workflow-menu').click();
	await editor.byId('workflow-menu-item-import').click();
	await editor.byId('workflow-menu-item-import-from-file').click();
	const file = path.join(rootFolder, `examples/${name}.json`);
	await editor.byId('workflow-import-input').setInputFiles(file);
	await editor.byId('canvas-node').first().waitFor();
}

test('an imported example, run before its recipient is filled in', async () => {
	await importExample('send-template');
	await editor.byId('execute-workflow-button').first().click();
	await editor.page.getByRole('alert').first().waitFor();
	expect(await posts()).toEqual([]);
	const view = await NodeView.open(editor, 'Send Template');
	await view.field('phone').fill(number);
	await executeStep();
	await view.output('providerMessageId');
	expect(await posts()).toMatchObject([{ body: { phone: '447700900210' } }]);
});

const campaigns = async () =>
	await sandbox.control.journal({ kind: 'request', path: '/chat/bulk-send' });

/** What n8n shows beside the canvas of a run that has failed. */
const notice = async (text: string): Promise<string> =>
	await editor.page.getByRole('alert').filter({ hasText: text }).first().innerText();

/** Starts the workflow by hand, whereupon n8n opens its form. */
async function openForm(): Promise<Page> {
	const button = editor.byId('execute-workflow-button').filter({ hasText: 'Execute workflow' });
	const stop = editor.byId('stop-execution-waiting-for-webhook-button');
	const timeout = 30_000;
	return await waitFor('the form', async () => {
		// The end of the last run can remove the form of this one: then n8n opens none and waits in vain.
		if (await stop.isVisible()) await stop.click();
		const opened = editor.page
			.context()
			.waitForEvent('page', { timeout })
			.catch(() => undefined);
		await button
			.first()
			.click({ timeout })
			.catch(() => {});
		return await opened;
	});
}

/** Fills in the form of the campaign: one good row and a bad one. */
async function submitSheet(form: Page, headings = 'phone,name,time'): Promise<void> {
	const rows = [headings, '+44 7700 900210,Anna,12:30', '0123,Ben,13:00'];
	const input = form.locator('input[type=file]');
	await input.setInputFiles({
		...{ name: 'customers.csv', mimeType: 'text/csv' },
		buffer: Buffer.from(rows.join('\n')),
	});
	await form.getByRole('button', { name: /submit/i }).click();
	await form.getByText(/your response has been recorded/i).waitFor();
	await close(form);
}

test('a campaign from a sheet with a bad row, tried first', async () => {
	await importExample('bulk-campaign-from-spreadsheet');
	// The browser knows the login of its form.
	const { user: username, password } = otherCredentials['Form login'].data;
	const login = editor.page.context().setHTTPCredentials({ username, password });
	await within('the login of the form', login);
	await submitSheet(await openForm(), 'phone,Name,time');
	expect(await notice('refers to "name", but')).toContain('the rows have "phone", "Name", "time"');
	await submitSheet(await openForm());
	await editor.node('Rows to Correct').getByTestId('canvas-node-status-success').waitFor();
	await takePicture(editor, 'campaign');
	// Started by hand, the example shows what it would send.
	expect(await campaigns()).toEqual([]);

	const view = await NodeView.open(editor, 'Create Campaign');
	await editor.byId('parameter-input-simulate').click();
	await editor.page.getByRole('option', { name: 'Send Always' }).click();
	await view.close();
	await submitSheet(await openForm());
	const campaign = await waitFor('the campaign', async () => (await campaigns())[0]);
	expect(campaign.body).toMatchObject({ recipients: [{ phone: '447700900210' }] });
});

test('react to a delivered message', async () => {
	const { control, keys } = sandbox;
	await control.updateKey(keys.production, { scopes: ['chat:send-template'] });
	const view = await add('message delivered', 'On message delivered');
	await executeStep();
	expect(await notice('chat:send')).toContain('create a key with the scope chat:send');
	await control.updateKey(keys.production, { scopes: ['chat:send-template', 'chat:send'] });
	await executeStep();
	await editor.byId('trigger-listening').waitFor();
	await waitFor('the registration', async () => (await control.webhooks()).at(0));
	const to = '447700900001';
	await control.emit({ event: 'message.delivered', data: { to } });
	expect(await view.output(to)).toContain('message.delivered');
	await takePicture(editor, 'trigger');
});

test('an approval', async () => {
	const view = await add('approval', 'Send message and wait for response');
	await view.field('message').fill('Ship order 1042?');
	await runWith(view, view.field('phone'), national, number);
	const message = await waitFor('the message', async () => {
		const requests = await sandbox.control.journal({ kind: 'request', path: '/chat/send' });
		return requests[0];
	});
	const { message: text } = message.body as { message: string };
	const [, link = ''] = /Approve: (\S+)/.exec(text) ?? [];
	const recipient = await within('a page', editor.page.context().newPage());
	const approve = recipient.getByRole('button', { name: 'Approve' });
	// n8n has a page for it once the execution waits, a moment after the message has gone out.
	await waitFor('the question', async () => {
		await recipient.goto(link);
		return await approve.isVisible();
	});
	await approve.click();
	await recipient.getByText('Response recorded').waitFor();
	await close(recipient);
	expect(await view.output('approved')).toContain('447700900210');
});

test('a balance that falls', async () => {
	const view = await add('low balance', 'On low balance', 'Messaging Service Polling');
	await editor.byId('parameter-input-resources').locator('.el-tag__close').click();
	await editor.byId('node-execute-button').and(editor.page.locator(':disabled')).waitFor();
	await editor.byId('parameter-input-resources').click();
	await editor.page.getByRole('option', { name: 'Chat Credits' }).click();
	await executeStep();
	expect(await view.output('chatBalance')).toContain('balance.low');
});
