import {
	chain,
	manualTrigger,
	messagingService,
	messagingServiceTrigger,
	noOp,
	packageName,
	startN8n,
	tarballPath,
	type N8n,
} from '../../harness';
import { startSandbox, type Sandbox } from '../../sandbox';
import { npmFrom, packAs, startRegistry, type Registry } from '../support/e2e/registry';

/** Each test goes on where the one before it has ended, as one n8n's life does. */
let registry: Registry;
let sandbox: Sandbox;
let n8n: N8n;
let sending: string;
let receiving: string;

const nodeType = `${packageName}.messagingService`;

beforeAll(async () => {
	[registry, sandbox] = await Promise.all([
		startRegistry(),
		startSandbox({ lifecycle: { enabled: false } }),
	]);
	registry.publish(packAs('0.0.9'));
	n8n = await startN8n({ isBare: true, env: npmFrom(registry.url) });
});

afterAll(async () => {
	await n8n.stop();
	await sandbox.close();
	await registry.close();
});

/** What a click on Settings > Community nodes asks n8n for. */
const community = async <T>(method: 'DELETE' | 'PATCH' | 'POST', query = '', name?: string) =>
	await n8n.rest<T>(
		method,
		`/community-packages${query}`,
		name === undefined ? undefined : { name },
	);

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

test('the package is installed by its name', async () => {
	expect(await n8n.nodeType(nodeType)).toBeUndefined();
	const { installedVersion, installedNodes } = await community<{
		installedVersion: string;
		installedNodes: Array<{ name: string }>;
	}>('POST', '', packageName);
	expect(installedVersion).toBe('0.0.9');
	expect(installedNodes.map(({ name }) => name).sort()).toEqual([
		'Messaging Service',
		'Messaging Service Polling Trigger',
		'Messaging Service Trigger',
	]);
	expect(await n8n.nodeType(nodeType)).toMatchObject({ displayName: 'Messaging Service' });
});

test('an update keeps workflows, also published ones, working', async () => {
	const credential = await n8n.createAccount(sandbox);
	const parameters = {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '447700900210',
		templateName: 'order_update',
	};
	sending = await n8n.createWorkflow(
		chain('Sending', [manualTrigger(), messagingService(parameters, credential)]),
	);
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
	receiving = await n8n.createPublished(chain('Receiving', [trigger, noOp()]));
	expect(await send()).toBe(1);
	expect(await receive(1)).toBe(1);

	registry.publish(tarballPath);
	expect(await community('PATCH', '', packageName)).toMatchObject({ installedVersion: '0.1.0' });
	expect(await send()).toBe(2);
	expect(await receive(2)).toBe(2);
	expect(await sandbox.control.webhooks()).toHaveLength(1);
});

test('without the package n8n starts cleanly and keeps the workflows', async () => {
	await n8n.unpublish(receiving);
	await community('DELETE', `?name=${packageName}`);
	const before = n8n.log().length;
	await n8n.restart();
	// Read at once: n8n complains when it is asked for the node type below.
	const log = n8n.log().slice(before);
	expect(log).toContain('n8n ready');
	expect(log).not.toMatch(/error|messaging-service/i);
	expect(await n8n.nodeType(nodeType)).toBeUndefined();
	expect(await n8n.getWorkflow(sending)).toMatchObject({ name: 'Sending' });
});
