import { randomBytes } from 'node:crypto';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	attachN8n,
	chain,
	manualTrigger,
	messagingService,
	messagingServiceTrigger,
	noOp,
	packageName,
	type CredentialRef,
} from '../../harness';

const n8n = attachN8n();
let sandbox: Sandbox;
let credential: CredentialRef;

beforeAll(async () => {
	sandbox = await startSandbox();
	credential = await n8n.createCredential('Foundation', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
});

afterAll(async () => await sandbox.close());

describe('the package, installed from its tarball', () => {
	it.each([
		['messagingService', 'Messaging Service'],
		['messagingServiceTrigger', 'Messaging Service Trigger'],
	])('brings the node %s', async (name, displayName) => {
		const type = `${packageName}.${name}`;
		expect(await n8n.nodeType(type)).toMatchObject({
			name,
			displayName,
			credentials: [{ name: 'messagingServiceApi', required: true }],
		});
	});

	it('brings the credential', async () => {
		const saved = await n8n.rest('GET', `/credentials/${credential.id}`);
		expect(saved).toMatchObject({ name: 'Foundation', type: 'messagingServiceApi' });
	});
});

describe('the credential test', () => {
	it('passes with a good key', async () => {
		expect(await n8n.testCredential(credential.id)).toMatchObject({ status: 'OK' });
	});

	it("fails with the service's own text for a bad key", async () => {
		const apiKey = 'not-a-key';
		const result = await n8n.testCredential({ baseUrl: sandbox.baseUrl, apiKey });
		expect(result.status).toBe('Error');
		expect(result.message).toContain('Unauthorized: Invalid or missing API key');
		expect(result.message).not.toContain(apiKey);
	});
});

it('reads the balance', async () => {
	const parameters = { resource: 'account', operation: 'getBalance' };
	const id = await n8n.createWorkflow(
		chain('Balance', [manualTrigger(), messagingService(parameters, credential)]),
	);
	const execution = await n8n.run(id);
	expect(execution.status).toBe('success');
	const response = await fetch(`${sandbox.baseUrl}/balance`, {
		headers: { 'x-api-key': sandbox.keys.production },
	});
	const { user } = (await response.json()) as { user: unknown };
	expect(execution.json('Messaging Service')).toEqual([user]);
});

describe('a message and its event', () => {
	const requests = async (method: string, path: string) =>
		await sandbox.control.journal({ kind: 'request', method, path });

	it('starts a published workflow by the signed delivered event of that very message', async () => {
		const receiving = await n8n.createWorkflow(
			chain('Delivered', [
				messagingServiceTrigger({ events: ['message.delivered'] }, credential),
				noOp('Received'),
			]),
		);
		await n8n.publish(receiving);
		const [webhook, ...others] = await sandbox.control.webhooks();
		expect(others).toEqual([]);
		expect(webhook).toMatchObject({ events: ['message.delivered'], isActive: true });

		const forged = await fetch(webhook?.url ?? '', {
			method: 'POST',
			headers: {
				'Content-Type': 'application/json',
				'X-Webhook-Signature': randomBytes(32).toString('hex'),
			},
			body: JSON.stringify({
				event: 'message.delivered',
				timestamp: new Date().toISOString(),
				data: { providerMessageId: 'forged', status: 'delivered' },
			}),
		});
		expect(forged.status).toBe(401);

		const parameters = {
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '+91 98765 43210',
			templateName: 'order_update',
			parametersUi: { parameter: [{ value: 'Anna' }, { value: '12:30' }] },
		};
		const sending = await n8n.createWorkflow(
			chain('Send', [manualTrigger(), messagingService(parameters, credential)]),
		);
		const sent = await n8n.run(sending);
		expect(sent.error).toBeUndefined();
		const [answer] = sent.json('Messaging Service');
		expect(answer).toMatchObject({ success: true, providerMessageId: expect.any(String) });
		const { providerMessageId } = answer ?? {};

		await n8n.waitForExecutions(receiving, 1);
		await sandbox.control.settle();
		const executions = await n8n.executions(receiving);
		expect(executions.map(({ status, mode }) => ({ status, mode }))).toEqual([
			{ status: 'success', mode: 'webhook' },
		]);
		expect(executions[0]?.json('Received')).toEqual([
			{
				event: 'message.delivered',
				timestamp: expect.any(String),
				data: expect.objectContaining({
					providerMessageId,
					status: 'delivered',
					to: '919876543210',
					templateName: 'order_update',
				}),
			},
		]);
		const deliveries = await sandbox.control.journal({ kind: 'delivery' });
		expect(deliveries.map(({ event, status }) => ({ event, status }))).toEqual([
			{ event: 'message.delivered', status: 200 },
		]);

		await n8n.unpublish(receiving);
		expect(await sandbox.control.webhooks()).toEqual([]);
		const send = { phone: '919876543210', templateName: 'order_update' };
		expect((await requests('POST', '/chat/send-template')).map(({ body }) => body)).toEqual([
			expect.objectContaining({ ...send, parameters: ['Anna', '12:30'] }),
		]);
		expect(await requests('POST', '/chat/webhooks')).toHaveLength(1);
		expect((await requests('DELETE', '/chat/webhooks')).map(({ query }) => query)).toEqual([
			{ id: webhook?.id },
		]);
	});
});
