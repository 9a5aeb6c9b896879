import {
	chain,
	manualTrigger,
	messagingService,
	messagingServiceTrigger,
	noOp,
	packageName,
	startN8n,
	type N8n,
} from '../../harness';
import { startSandbox, type Sandbox } from '../../sandbox';
import { npmFrom, startRegistry, type Registry } from '../support/e2e/registry';
import { template } from '../support/reliability/stage';

let registry: Registry;
let sandbox: Sandbox;
let n8n: N8n;
beforeAll(async () => {
	sandbox = await startSandbox({ lifecycle: { enabled: false } });
	registry = await startRegistry();
	registry.publish('0.0.9');
	n8n = await startN8n({ isBare: true, env: npmFrom(registry.url) });
});
afterAll(async () => {
	await n8n.stop();
	await registry.close();
	await sandbox.close();
});

interface Installed {
	installedVersion: string;
	installedNodes: Array<{ name: string }>;
}

/** What a click on Settings > Community nodes requests of n8n. */
const community = async (method: 'PATCH' | 'POST') =>
	await n8n.rest<Installed>(method, '/community-packages', { name: packageName });

test('the package is installed by its name, and an update keeps workflows, even published ones, working', async () => {
	const nodeType = `${packageName}.messagingService`;
	expect(await n8n.nodeType(nodeType)).toBeUndefined();
	const { installedVersion, installedNodes } = await community('POST');
	expect(installedVersion).toBe('0.0.9');
	expect(installedNodes.map(({ name }) => name).sort()).toEqual([
		'Messaging Service',
		'Messaging Service Polling Trigger',
		'Messaging Service Trigger',
	]);
	expect(await n8n.nodeType(nodeType)).toMatchObject({ displayName: 'Messaging Service' });

	const credential = await n8n.createAccount(sandbox);
	const send = messagingService({ ...template, phone: '447700900210' }, credential);
	const sending = await n8n.createWorkflow(chain('Sending', [manualTrigger(), send]));
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
	const receiving = await n8n.createPublished(chain('Receiving', [trigger, noOp()]));
	/** Both workflows work: they have sent and received so many messages then. */
	const bothWork = async (count: number) => {
		expect((await n8n.run(sending)).error).toBeUndefined();
		expect(await sandbox.control.messages()).toHaveLength(count);
		const [delivery] = await sandbox.control.emit({ event: 'message.delivered' });
		expect(delivery?.status).toBe(200);
		expect(await n8n.waitForExecutions(receiving, count)).toHaveLength(count);
	};
	await bothWork(1);
	registry.publish();
	expect(await community('PATCH')).toMatchObject({ installedVersion: '0.1.0' });
	await bothWork(2);
	expect(await sandbox.control.webhooks()).toHaveLength(1);
});
