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
import { npmFrom, startRegistry, type Registry } from '../support/e2e/registry';
import { useSandbox } from '../support/e2e/sandbox';
import { template } from '../support/reliability/stage';

/** Each test goes on where the one before it has ended, as one n8n's life does. */
let registry: Registry;
let n8n: N8n;
beforeAll(async () => {
	registry = await startRegistry();
	registry.publish('0.0.9');
	n8n = await startN8n({ isBare: true, env: npmFrom(registry.url) });
});
afterAll(async () => {
	await n8n.stop();
	await registry.close();
});

let sending: string;
let receiving: string;

const nodeType = `${packageName}.messagingService`;

/** What a click on Settings > Community nodes requests of n8n. */
const community = async <T>(method: 'DELETE' | 'PATCH' | 'POST', query = '', body?: object) =>
	await n8n.rest<T>(method, `/community-packages${query}`, body);

test('the package is installed by its name', async () => {
	expect(await n8n.nodeType(nodeType)).toBeUndefined();
	const { installedVersion, installedNodes } = await community<{
		installedVersion: string;
		installedNodes: Array<{ name: string }>;
	}>('POST', '', { name: packageName });
	expect(installedVersion).toBe('0.0.9');
	expect(installedNodes.map(({ name }) => name).sort()).toEqual([
		'Messaging Service',
		'Messaging Service Polling Trigger',
		'Messaging Service Trigger',
	]);
	expect(await n8n.nodeType(nodeType)).toMatchObject({ displayName: 'Messaging Service' });
});

describe('with workflows', () => {
	// An installed node type is needed for the credential.
	const { sandbox, credential } = useSandbox(() => n8n, { lifecycle: { enabled: false } });

	/** Both workflows work: they have sent and received so many messages then. */
	async function bothWork(count: number): Promise<void> {
		expect((await n8n.run(sending)).error).toBeUndefined();
		expect(await sandbox.control.messages()).toHaveLength(count);
		const [delivery] = await sandbox.control.emit({ event: 'message.delivered' });
		expect(delivery?.status).toBe(200);
		expect(await n8n.waitForExecutions(receiving, count)).toHaveLength(count);
	}

	test('an update keeps workflows, even published ones, working', async () => {
		const send = messagingService({ ...template, phone: '447700900210' }, credential);
		sending = await n8n.createWorkflow(chain('Sending', [manualTrigger(), send]));
		const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
		receiving = await n8n.createPublished(chain('Receiving', [trigger, noOp()]));
		await bothWork(1);
		registry.publish();
		const updated = await community('PATCH', '', { name: packageName });
		expect(updated).toMatchObject({ installedVersion: '0.1.0' });
		await bothWork(2);
		expect(await sandbox.control.webhooks()).toHaveLength(1);
	});

	test('without the package n8n starts cleanly and keeps the workflows', async () => {
		await n8n.unpublish(receiving);
		await community('DELETE', `?name=${packageName}`);
		const before = n8n.log().length;
		await n8n.restart();
		// Read at once: n8n complains when the node type is requested below.
		const log = n8n.log().slice(before);
		expect(log).toContain('n8n ready');
		expect(log).not.toMatch(/error|messaging-service/i);
		expect(await n8n.nodeType(nodeType)).toBeUndefined();
		expect(await n8n.getWorkflow(sending)).toMatchObject({ name: 'Sending' });
	});
});
