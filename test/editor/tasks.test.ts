import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { startSandbox, type Sandbox } from '../../sandbox';
import { createCredentials, otherCredentials } from '../../scripts/start/examples';
import { Editor, startBrowser } from '../support/editor/editor';
import { NodeView } from '../support/editor/nodeView';
import { takePicture } from '../support/editor/picture';
import { rootFolder, startN8n, waitFor, type N8n } from '../../harness';
import { withBlock, writeTable } from '../../harness/docs';
import { textOf } from '../support/docs/files';

/** A person's hand in a browser: counts its clicks, and fields that it fills in by typing or a file. */
class Hand {
	/** What the task takes, without what is done by mistake. */
	readonly plain = { clicks: 0, entries: 0 };
	private readonly mistakes = { clicks: 0, entries: 0 };
	private counted = this.plain;

	/** What the task and the mistake took together. */
	get all() {
		const { plain, mistakes } = this;
		const clicks = plain.clicks + mistakes.clicks;
		return { clicks, entries: plain.entries + mistakes.entries };
	}

	/** Does what nobody does who makes no mistake. */
	async mistakenly(work: () => Promise<void>): Promise<void> {
		this.counted = this.mistakes;
		await work();
		this.counted = this.plain;
	}

	async click(target: Locator): Promise<void> {
		await target.click();
		this.counted.clicks++;
	}

	async type(target: Locator, text: string): Promise<void> {
		await target.fill(text);
		this.counted.entries++;
	}

	async chooseFile(target: Locator, name: string, mimeType: string, text: string): Promise<void> {
		await target.setInputFiles({ name, mimeType, buffer: Buffer.from(text) });
		this.counted.entries++;
	}
}

/** An n8n as a newcomer has it: the package, one credential of each kind, and no workflow. */
let n8n: N8n;
let sandbox: Sandbox;
let browser: Browser;
let editor: Editor;
let hand: Hand;

beforeAll(async () => {
	[n8n, sandbox, browser] = await Promise.all([
		startN8n({ env: { N8N_DISABLE_UI: 'false' } }),
		startSandbox(),
		startBrowser(),
	]);
	await createCredentials(n8n, sandbox);
	editor = await Editor.open(browser, n8n.session);
});

beforeEach(async () => {
	await sandbox.control.reset();
	hand = new Hand();
});

afterAll(async () => {
	await browser.close();
	await n8n.stop();
	await sandbox.close();
});

/** Adds an action, or an event, to an empty workflow, from the search on. */
async function add(search: string, entry: string, found = 'Messaging Service'): Promise<NodeView> {
	await editor.openEmptyWorkflow();
	await hand.click(editor.byId('canvas-plus-button'));
	await hand.type(editor.byId('node-creator-search-bar'), search);
	await hand.click(editor.entry(found));
	if (!entry.startsWith('On ')) await hand.click(editor.page.getByText(/^Actions \(\d+\)$/));
	await hand.click(editor.entry(entry));
	return new NodeView(editor);
}

const executeStep = async () => await hand.click(editor.byId('node-execute-button'));

/** Clicks and entries of each task, for docs/usability.md: without the mistake, and with it. */
const counted: string[] = [];
function count(task: string, mistake: string): void {
	const { plain, all } = hand;
	const cells = [task, plain.clicks, plain.entries, mistake, all.clicks, all.entries];
	counted.push(`| ${cells.join(' | ')} |`);
}

type Failure = Awaited<ReturnType<NodeView['failure']>>;

/** Enters a mistaken value and runs the node, which sends nothing; then does it right. */
async function runWith(
	view: NodeView,
	field: Locator,
	mistaken: string,
	value: string,
	look: (failure: Failure) => unknown = () => {},
): Promise<void> {
	await hand.mistakenly(async () => {
		await hand.type(field, mistaken);
		await executeStep();
		const failure = await view.failure(mistaken);
		expect(failure.description).toContain('Nothing was sent.');
		await look(failure);
		const requests = await sandbox.control.journal({ kind: 'request', method: 'POST' });
		expect(requests.filter(({ processed }) => processed)).toEqual([]);
	});
	await hand.type(field, value);
	await executeStep();
}

const number = '+91 98765 43210';

/** As one dials it at home. */
const national = '098765 43210';
const withoutCode = 'a number without its country code';

test('a first message', async () => {
	const view = await add('text message', 'Send a template message');
	await hand.type(view.field('templateName'), 'order_update');
	for (const [index, value] of ['Anna', '12:30'].entries()) {
		await hand.click(view.add('Add Parameter'));
		await hand.type(view.field('value').nth(index), value);
	}
	await runWith(view, view.field('phone'), national, number, async ({ message, description }) => {
		expect(message).toMatch(/^Recipient Phone Number "098765 43210" starts with a zero/);
		expect(description).toContain('Correct the parameter "Recipient Phone Number"');
		await takePicture(editor, 'bad-number');
	});
	await view.output('providerMessageId');
	expect(await sandbox.control.messages()).toEqual([
		expect.objectContaining({ to: '919876543210' }),
	]);
	count('first message', withoutCode);
});

const campaigns = async () =>
	await sandbox.control.journal({ kind: 'request', path: '/chat/bulk-send' });

/** What n8n shows beside the canvas of a run that has failed. */
const notice = async (text: string): Promise<string> =>
	await editor.page.getByRole('alert').filter({ hasText: text }).first().innerText();

/** Starts the workflow by hand, whereupon n8n opens its form. */
async function openForm(): Promise<Page> {
	const opened = editor.page.context().waitForEvent('page');
	// Before it says so again, n8n has not taken in the end of the run before.
	const button = editor.byId('execute-workflow-button').filter({ hasText: 'Execute workflow' });
	await hand.click(button.first());
	return await opened;
}

/** Fills in the form of the campaign: one good row and a bad one. */
async function submitSheet(form: Page, headings = 'phone,name,time'): Promise<void> {
	const rows = [headings, '+91 98765 43210,Anna,12:30', '0123,Ben,13:00'];
	const input = form.locator('input[type=file]');
	await hand.chooseFile(input, 'customers.csv', 'text/csv', rows.join('\n'));
	await hand.click(form.getByRole('button', { name: /submit/i }));
	await form.getByText(/your response has been recorded/i).waitFor();
	await form.close();
}

test('a campaign from a sheet with a bad row, tried first', async () => {
	// Imported as the README says; the browser knows the login of its form.
	await editor.openEmptyWorkflow();
	await hand.click(editor.byId('workflow-menu'));
	await hand.click(editor.byId('workflow-menu-item-import'));
	await hand.click(editor.byId('workflow-menu-item-import-from-file'));
	const file = path.join(rootFolder, 'examples/bulk-campaign-from-spreadsheet.json');
	await editor.byId('workflow-import-input').setInputFiles(file);
	hand.plain.entries++;
	await editor.byId('canvas-node').first().waitFor();
	const { user: username, password } = otherCredentials['Form login'].data;
	await editor.page.context().setHTTPCredentials({ username, password });
	await hand.mistakenly(async () => {
		await submitSheet(await openForm(), 'phone,Name,time');
		expect(await notice('names name, but')).toContain('the rows have phone, Name, time');
	});
	await submitSheet(await openForm());
	await editor.node('Rows to Correct').getByTestId('canvas-node-status-success').waitFor();
	await takePicture(editor, 'campaign');
	// Started by hand, the example shows what it would send.
	expect(await campaigns()).toEqual([]);

	const view = await NodeView.open(editor, 'Create Campaign');
	hand.plain.clicks += 2;
	await hand.click(editor.byId('parameter-input-simulate'));
	await hand.click(editor.page.getByRole('option', { name: 'Send Always' }));
	await view.close();
	hand.plain.clicks++;
	await submitSheet(await openForm());
	const campaign = await waitFor('the campaign', async () => (await campaigns())[0]);
	expect(campaign.body).toMatchObject({ recipients: [{ phone: '919876543210' }] });
	count('campaign from a sheet with a bad row, tried first', 'a heading misspelled');
});

test('a call, and wait for its end', async () => {
	const view = await add('phone call', 'Place a voice call');
	await hand.type(view.field('text'), 'Your order is on its way.');
	await hand.click(editor.byId('collection-parameter-add'));
	await hand.click(editor.page.getByText('Wait for Completion', { exact: true }));
	await runWith(view, view.field('to'), '98765 4321', number);
	expect(await view.output('callStatus')).toContain('success');
	expect(await sandbox.control.calls()).toHaveLength(1);
	count('call, and wait for its end', 'a number with a digit missing');
});

test('react to a delivered message', async () => {
	const { control, keys } = sandbox;
	await control.updateKey(keys.production, { scopes: ['chat:send-template'] });
	const view = await add('message delivered', 'On message delivered');
	await hand.mistakenly(async () => {
		await executeStep();
		expect(await notice('chat:send')).toContain('Add the scope chat:send to the API key');
	});
	await control.updateKey(keys.production, { scopes: ['chat:send-template', 'chat:send'] });
	await executeStep();
	await editor.byId('trigger-listening').waitFor();
	await waitFor('the registration', async () => (await control.webhooks()).at(0));
	const to = '919876500001';
	await control.emit({ event: 'message.delivered', data: { to } });
	expect(await view.output(to)).toContain('message.delivered');
	count('react to a delivered message', 'a key that may send templates alone');
});

test('an approval', async () => {
	const view = await add('approval', 'Send a text message and wait for response');
	await hand.type(view.field('message'), 'Ship order 1042?');
	await runWith(view, view.field('phone'), national, number);
	const message = await waitFor('the message', async () => {
		const requests = await sandbox.control.journal({ kind: 'request', path: '/chat/send' });
		return requests[0];
	});
	const { message: text } = message.body as { message: string };
	const [, link = ''] = /Approve: (\S+)/.exec(text) ?? [];
	// What the recipient does counts for nothing here.
	const recipient = await editor.page.context().newPage();
	const approve = recipient.getByRole('button', { name: 'Approve' });
	// n8n has a page for it once the execution waits, a moment after the message has gone out.
	await waitFor('the question', async () => {
		await recipient.goto(link);
		return await approve.isVisible();
	});
	await approve.click();
	await recipient.close();
	expect(await view.output('approved')).toContain('919876543210');
	count('approval', withoutCode);
});

test('an email', async () => {
	const view = await add('email', 'Send an email');
	await hand.type(view.field('subject'), 'Your order');
	await hand.click(editor.byId('parameter-input-emailFormat'));
	await hand.click(editor.page.getByRole('option', { name: 'Text', exact: true }));
	await hand.type(view.field('text'), 'Your order is on its way.');
	await runWith(view, view.field('to'), 'anna.host.example', 'anna@host.example');
	await view.output('messageId');
	expect(await sandbox.control.emails()).toHaveLength(1);
	count('email', 'a dot instead of the @');
});

test('what became of a message', async () => {
	await sandbox.control.addMessages(1, { to: '919876543210', status: 'Read' });
	const view = await add('message status', 'Get many messages');
	await hand.click(editor.byId('collection-parameter-add').first());
	await hand.click(editor.page.getByText('Recipient Phone Number', { exact: true }));
	await hand.mistakenly(async () => {
		await hand.type(view.field('phone'), national);
		await executeStep();
		expect((await view.failure(national)).message).toContain('country code');
	});
	await hand.type(view.field('phone'), number);
	await executeStep();
	expect(await view.output('providerMessageId')).toContain('Read');
	count('what became of a message', withoutCode);
});

test('a balance that falls', async () => {
	const view = await add('low balance', 'On low balance', 'Messaging Service Polling');
	await hand.mistakenly(async () => {
		await hand.click(editor.byId('parameter-input-resources').locator('.el-tag__close'));
		await editor.byId('node-execute-button').and(editor.page.locator(':disabled')).waitFor();
		await hand.click(editor.byId('parameter-input-resources'));
		await hand.click(editor.page.getByRole('option', { name: 'Chat Credits' }));
	});
	await executeStep();
	expect(await view.output('chatBalance')).toContain('balance.low');
	count('be told of a low balance', 'no balance chosen');
});

test('docs/usability.md has the clicks that were counted', () => {
	const head = '| task | clicks | entries | a mistake on the way | clicks with it | entries |';
	const table = [head, '|---|---:|---:|---|---:|---:|', ...counted].join('\n');
	writeTable('clicks', table, 'docs/usability.md');
	const document = textOf('docs/usability.md');
	// If this fails: UPDATE_DOCS=1 npm run test:editor -- tasks
	expect(withBlock(document, 'clicks', table)).toBe(document);
});
