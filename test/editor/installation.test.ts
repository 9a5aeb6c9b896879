import type { Browser } from 'playwright-core';
import { startSandbox, type Sandbox } from '../../sandbox';
import { CommunityNodes, Editor, takePicture } from '../support/editor';
import { startBrowser } from '../support/editor/browser';
import { npmFrom, npmInstall } from '../support/editor/npm';
import { startRegistry, type Registry } from '../support/editor/registry';
import { packAs } from '../../harness/tarballs';
import {
	chain,
	manualTrigger,
	messagingService,
	messagingServiceTrigger,
	noOp,
	packageName,
	startN8n,
	tarballPath,
	type CredentialRef,
	type N8n,
} from '../../harness';

/** Each test goes on where the one before it has ended, as one n8n's life does. */
let registry: Registry;
let sandbox: Sandbox;
let browser: Browser;
let n8n: N8n;
let editor: Editor;
let page: CommunityNodes;
let credential: CredentialRef;
let sending: string;
let receiving: string;

const nodeType = `${packageName}.messagingService`;

beforeAll(async () => {
	[registry, sandbox, browser] = await Promise.all([
		startRegistry(),
		startSandbox({ lifecycle: { enabled: false } }),
		startBrowser(),
	]);
	registry.publish(packAs('0.0.9'));
	const env = { ...npmFrom(registry.url), N8N_DISABLE_UI: 'false' };
	n8n = await startN8n({ isBare: true, env });
	editor = await Editor.open(browser, n8n.session);
	page = await CommunityNodes.open(editor);
});

afterAll(async () => {
	await browser.close();
	await n8n.stop();
	await sandbox.close();
	await registry.close();
});

/** Runs the workflow that sends, and gives how many messages the service has then. */
async function send(): Promise<number> {
	const execution = await n8n.run(sending);
	expect(execution.error).toBeUndefined();
	return (await sandbox.control.messages()).length;
}

/** Sends an event, and gives how many executions it and those before it have started. */
async function receive(count: number): Promise<number> {
	const [delivery] = await sandbox.control.emit({ event: 'message.delivered' });
	expect(delivery?.status).toBe(200);
	return (await n8n.waitForExecutions(receiving, count)).length;
}

test('the package is installed by its name in the editor', async () => {
	expect(await n8n.nodeType(nodeType)).toBeUndefined();
	await page.install();
	expect(await page.shows('v0.0.9')).toContain('Messaging Service Polling Trigger');
	await takePicture(editor, 'installed');
	expect(await n8n.nodeType(nodeType)).toMatchObject({ displayName: 'Messaging Service' });
});

test('an update keeps workflows, also published ones, working', async () => {
	credential = await n8n.createCredential('Installation', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
	const parameters = {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '919876543210',
		templateName: 'order_update',
	};
	sending = await n8n.createWorkflow(
		chain('Sending', [manualTrigger(), messagingService(parameters, credential)]),
	);
	receiving = await n8n.createWorkflow(
		chain('Receiving', [
			messagingServiceTrigger({ events: ['message.delivered'] }, credential),
			noOp(),
		]),
	);
	await n8n.publish(receiving);
	expect(await send()).toBe(1);
	expect(await receive(1)).toBe(1);

	registry.publish(tarballPath);
	await editor.page.reload();
	await page.update();
	await page.shows('v0.1.0');
	expect(await send()).toBe(2);
	expect(await receive(2)).toBe(2);
	expect(await sandbox.control.webhooks()).toHaveLength(1);
});

test('without the package n8n starts cleanly and keeps the workflows', async () => {
	await n8n.unpublish(receiving);
	await page.uninstall();
	await page.showsNone();
	const before = n8n.log().length;
	await n8n.restart();
	// Read at once: n8n complains when it is asked for the node type below.
	const log = n8n.log().slice(before);
	expect(log).toContain('n8n ready');
	expect(log).not.toMatch(/error|messaging-service/i);
	expect(await n8n.nodeType(nodeType)).toBeUndefined();
	expect(await n8n.getWorkflow(sending)).toMatchObject({ name: 'Sending' });
});

test('the package is installed by npm in the folder of n8n', async () => {
	await npmInstall(n8n.userFolder, registry.url);
	await n8n.restart();
	expect(await n8n.nodeType(nodeType)).toMatchObject({ displayName: 'Messaging Service' });
	expect(await send()).toBe(3);
});
