import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { useReceiver } from '../integration/sandbox/support/useReceiver';
import { phone, template, useSandbox } from '../integration/sandbox/support/useSandbox';
import { startBrowser } from '../support/editor/browser';

const fixture = useSandbox();
const receiver = useReceiver();

let browser: Browser;
let page: Page;
const errors: string[] = [];
beforeAll(async () => {
	browser = await startBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
	page = await browser.newPage();
	page.on('pageerror', ({ message }) => errors.push(message));
	page.on('console', (message) => {
		if (message.type() === 'error') errors.push(message.text());
	});
	await page.goto(fixture.sandbox.url);
	await page.getByText(fixture.sandbox.keys.production).waitFor();
});
afterEach(async () => {
	await page.close();
	expect(errors.splice(0)).toEqual([]);
});

/** Waits until a row of a table holds these texts. */
async function sees(table: string, ...texts: string[]): Promise<void> {
	let row = page.locator(`#${table} tbody tr`);
	for (const text of texts) row = row.filter({ hasText: text });
	await row.first().waitFor();
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const choose = async (label: string, value: string) =>
	await page.getByLabel(label).selectOption(value);
const says = async (text: string) => await page.getByRole('status').getByText(text).waitFor();
const run = promisify(execFile);
const lines = async () => await page.locator('.curl code').allTextContents();

test('shows everything that there is, as text', async () => {
	const { api, control } = fixture;
	await api.post('/chat/webhooks', { url: receiver.url });
	await api.post('/chat/send', { phone, message: 'Hello <img src=x onerror=alert(1)>' });
	await api.post('/voice/call', { to: '+14155550199', audioName: 'Hello' });
	const email = { to: 'ann@mail.example', subject: 'Your order', text: 'On its way' };
	await api.post('/email/send', email);
	await control.settle();
	await sees('messages', phone, 'Sent', 'Hello <img src=x onerror=alert(1)>');
	await sees('calls', '+14155550199', 'initiated');
	await sees('emails', 'ann@mail.example', 'Your order', 'On its way');
	await sees('webhooks', receiver.url, 'message.failed', 'yes');
	await sees('deliveries', 'message.sent', receiver.url, '200');
	await sees('requests', 'POST /email/send', '200', 'Your order');
	expect(await page.locator('#chatBalance').textContent()).toContain('99,999');
});

test('says how many records there are, and shows the latest', async () => {
	await fixture.control.addMessages(1_030, { to: '910000000001' });
	await fixture.control.addMessages(1, { to: '910000000002' });
	await sees('messages', '910000000002');
	await page.getByRole('heading', { name: 'Messages (1,031)' }).waitFor();
	await page.getByText('1,006 older ones are not shown.').waitFor();
	expect(await page.locator('#messages tbody tr').count()).toBe(25);
});

test('emits an event', async () => {
	await button('Emit an Event').click();
	await says('No webhook is registered for this event.');
	await fixture.api.post('/chat/webhooks', { url: receiver.url });
	await choose('Emit an Event: Event', 'message.failed');
	await button('Emit an Event').click();
	await says('Sent to 1 webhook(s). Response: 200.');
	expect(receiver.events.map(({ event }) => event)).toEqual(['message.failed']);
	await choose('Emit an Event: Signature', 'unsigned');
	await button('Emit an Event').click();
	await page.locator('#deliveries tbody tr').nth(1).waitFor();
	expect(receiver.received[1]?.headers).not.toHaveProperty('x-webhook-signature');
});

test('fails the next request', async () => {
	await choose('Fail the Next Request: Path', '/chat/send-template');
	await choose('Fail the Next Request: Response', 'a web page');
	await button('Fail the Next Request').click();
	await says('The next request to /chat/send-template will fail.');
	await sees('faults', '/chat/send-template', 'a web page', '1');
	expect((await fixture.api.get('/balance')).status).toBe(200);
	expect((await fixture.api.post('/chat/send-template', template)).data).toContain('<html>');
	expect((await fixture.api.post('/chat/send-template', template)).data.success).toBe(true);
	await sees('requests', 'POST /chat/send-template', 'a web page');
});

test('empties a balance, fills it, and starts over', async () => {
	await button('Empty a Balance').click();
	await says('The balance is set.');
	await page.locator('#chatBalance').getByText('0', { exact: true }).waitFor();
	expect((await fixture.api.post('/chat/send-template', template)).status).toBe(402);
	await choose('Empty a Balance: Amount', '100');
	await button('Empty a Balance').click();
	await page.locator('#chatBalance').getByText('100', { exact: true }).waitFor();
	expect((await fixture.api.post('/chat/send-template', template)).status).toBe(200);
	await button('Start Over').click();
	await says('Everything is as it was at the start.');
	expect(await fixture.control.messages()).toEqual([]);
	expect((await fixture.control.account()).chatBalance).toBe(100_000);
});

test('lists the templates, and makes a key with few scopes', async () => {
	await sees('templates', 'order_update', 'utility', 'yes');
	await sees('templates', 'pending_review', 'no');
	await choose('Make a Key: Scopes', 'chat:campaigns');
	await button('Make a Key').click();
	await says('Made key 3: ');
	await sees('furtherKeys', 'key 3', 'chat:campaigns');
	const key = (await page.locator('#furtherKeys td').nth(2).textContent()) ?? '';
	const ask = async (path: string) =>
		(await fixture.api.get(path, { headers: { 'x-api-key': key } })).status;
	expect(await ask('/chat/campaigns')).toBe(200);
	expect(await ask('/voice/call-logs')).toBe(403);
});

test('shows lines that do the same in a shell, and copies them', async () => {
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await choose('Empty a Balance: Balance', 'voiceMins');
	const line = (await lines()).find((one) => one.includes('voiceMins')) ?? '';
	await page.locator('.curl').filter({ hasText: 'voiceMins' }).getByRole('button').click();
	expect(await page.evaluate('navigator.clipboard.readText()')).toBe(line);
	await run('sh', ['-c', `${line} --noproxy '*' --silent`]);
	expect((await fixture.control.account()).voiceMins).toBe(0);
	for (const one of await lines()) {
		await run('sh', ['-c', `${one} --noproxy '*' --silent --fail`]);
	}
});

test('says when the sandbox has ended', async () => {
	await page.route('**/overview', (route) => route.abort());
	await says('The sandbox does not respond.');
	errors.length = 0;
});
