import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { within } from '../../harness';
import { useReceiver } from '../integration/sandbox/support/useReceiver';
import { phone, template, useSandbox } from '../integration/sandbox/support/useSandbox';
import { close, startBrowser } from '../support/editor/editor';

const fixture = useSandbox();
const receiver = useReceiver();

let browser: Browser;
let page: Page;
const errors: string[] = [];
beforeAll(async () => {
	browser = await startBrowser();
	page = await within('a page', browser.newPage());
	page.on('pageerror', ({ message }) => errors.push(message));
	page.on('console', (message) => {
		if (message.type() === 'error') errors.push(message.text());
	});
});
afterAll(async () => await close(browser));
beforeEach(async () => {
	await page.goto(fixture.sandbox.url);
	await page.locator('#access').getByText(fixture.sandbox.keys.production).waitFor();
});
afterEach(() => expect(errors.splice(0)).toEqual([]));

/** Waits until a row of a list holds these texts. */
async function sees(list: string, ...texts: string[]): Promise<void> {
	let row = page.locator(`#${list} tbody tr`);
	for (const text of texts) row = row.filter({ hasText: text });
	await row.first().waitFor();
}

const run = promisify(execFile);

/** Makes the choices of an action and presses its button, then does the same by the line in a shell. */
async function act(title: string, ...choices: string[]): Promise<void> {
	for (const [index, choice] of choices.entries()) {
		await page.getByLabel(`${title}, choice ${index + 1}`).selectOption(choice);
	}
	await page.getByRole('status').evaluate((said) => (said.textContent = ''));
	await page.getByRole('button', { name: title, exact: true }).click();
	await page.getByRole('status').getByText('Done. In a shell:').waitFor();
	const line = (await page.getByRole('status').innerText()).replace(/^.*shell: /, '');
	await run('sh', ['-c', `${line} --noproxy '*' --silent --fail`]);
}

test('shows everything that there is, as text, and how much more', async () => {
	const { api, control } = fixture;
	await control.addMessages(1_030, { to: '447700900001' });
	await api.post('/chat/webhooks', { url: receiver.url });
	await api.post('/chat/send', { phone, message: 'Hello <img src=x onerror=alert(1)>' });
	await api.post('/voice/call', { to: '+14155550199', audioName: 'Hello' });
	const email = { to: 'ann@mail.example', subject: 'Your order', text: 'On its way' };
	await api.post('/email/send', email);
	await control.settle();
	await sees('templates', 'order_update', 'utility');
	await sees('messages', phone, 'Sent', 'Hello <img src=x onerror=alert(1)>');
	await page.getByRole('heading', { name: 'Messages (1,031)' }).waitFor();
	expect(await within('the rows', page.locator('#messages tbody tr').count())).toBe(25);
	await sees('calls', '+14155550199', 'initiated');
	await sees('emails', 'ann@mail.example', 'Your order', 'On its way');
	await sees('webhooks', receiver.url, 'message.failed', 'true');
	await sees('deliveries', 'message.sent', receiver.url, '200');
	await sees('requests', 'POST', '/email/send', '200', 'Your order');
	await page.locator('#access').getByText('"chatBalance":99999').waitFor();
});

test('each button does what its line in a shell does', async () => {
	const { api, control } = fixture;
	await api.post('/chat/webhooks', { url: receiver.url });
	await act('Emit an Event', 'message.failed', 'unsigned');
	expect(receiver.events.map(({ event }) => event)).toEqual(['message.failed', 'message.failed']);
	expect(receiver.received[0]?.headers).not.toHaveProperty('x-webhook-signature');

	await act('Fail the Next Request', '/chat/send-template', 'a web page');
	await sees('faults', '/chat/send-template', 'a web page');
	for (const part of ['<html>', '<html>', 'success']) {
		const { data } = await api.post('/chat/send-template', template);
		expect(JSON.stringify(data)).toContain(part);
	}
	await sees('requests', '/chat/send-template', 'a web page');

	await act('Make a Key', 'voice:calls');
	await sees('keys', '["voice:calls"]');
	await act('Set a Balance', 'voiceMins', '100');
	await page.locator('#access').getByText('"voiceMins":100').waitFor();
	await act('Start Over');
	expect(await control.messages()).toEqual([]);
	expect((await control.account()).voiceMins).toBe(1_000);
});

test('says when the sandbox has ended', async () => {
	await within(
		'the end of the sandbox',
		page.route('**/overview', (route) => route.abort()),
	);
	await page.getByText('The sandbox does not respond.').waitFor();
	errors.length = 0;
});
