import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	chain,
	messagingServicePollingTrigger,
	noOp,
	startN8n,
	waitFor,
	type CredentialRef,
	type N8n,
} from '../../harness';

const trigger = 'Messaging Service Polling Trigger';

/** n8n polls at most once a minute. */
const twoPolls = 130_000;

const balance = { watch: 'balance', resources: ['chatBalance'], warningThreshold: 100 };
const calls = { watch: 'voiceCalls', callEvents: ['started', 'ended'] };
const messages = { watch: 'messages', statuses: ['Read'] };
const webhooks = { watch: 'webhooks' };
const numbers = { watch: 'numbers' };
const stuck = { watch: 'messages', statuses: ['Failed'], stuckAfter: 1 };
const kinds = { balance, calls, messages, numbers, stuck, webhooks };
type Kind = keyof typeof kinds;

let n8n: N8n;
let sandbox: Sandbox;
let credential: CredentialRef;
let failing = '';
let failingKey = '';
const published = {} as Record<Kind, string>;
const happened = {} as Record<Kind, unknown[]>;

const credentialOf = async (apiKey: string) =>
	await n8n.createCredential(`Polling ${crypto.randomUUID()}`, {
		baseUrl: sandbox.baseUrl,
		apiKey,
	});

const workflow = async (name: string, parameters: INodeParameters, from = credential) =>
	await n8n.createWorkflow(
		chain(name, [messagingServicePollingTrigger(parameters, from), noOp('Then')]),
	);

/** Registers a webhook, as somebody else's program does. */
async function register(url: string): Promise<{ id: string; url: string }> {
	await fetch(`${sandbox.baseUrl}/chat/webhooks`, {
		method: 'POST',
		headers: { 'x-api-key': sandbox.keys.production, 'content-type': 'application/json' },
		body: JSON.stringify({ url }),
	});
	const webhook = (await sandbox.control.webhooks()).find((one) => one.url === url);
	return { id: webhook?.id ?? '', url };
}

async function emitted(kind: Kind, executions: number): Promise<unknown[]> {
	const found = await n8n.waitForExecutions(published[kind], executions, twoPolls);
	expect(found.map(({ status }) => status)).toEqual(Array(executions).fill('success'));
	return found.flatMap((execution) => execution.json(trigger));
}

// This n8n is restarted, so it is not the shared one. All workflows wait for their polls together.
beforeAll(async () => {
	[sandbox, n8n] = await Promise.all([startSandbox({ lifecycle: { enabled: false } }), startN8n()]);
	const { control, keys } = sandbox;
	credential = await credentialOf(keys.production);
	await control.addCalls(3);
	await control.addMessages(3, { status: 'Read' });
	const lost = await register('https://n8n.example/webhook/lost');
	for (const kind of Object.keys(kinds) as Kind[]) {
		published[kind] = await workflow(kind, kinds[kind]);
	}
	({ key: failingKey } = await control.createKey());
	failing = await workflow('failing', messages, await credentialOf(failingKey));
	await Promise.all(
		[...Object.values(published), failing].map(async (id) => await n8n.publish(id)),
	);

	await control.updateKey(failingKey, { revoked: true });
	await control.removeWebhook(lost.id);
	await control.setAccount({ chatBalance: 50 });
	const [call] = await control.addCalls(1);
	const [message] = await control.addMessages(1, { status: 'Read' });
	happened.balance = [
		expect.objectContaining({ event: 'balance.low', resource: 'chatBalance', value: 50 }),
	];
	happened.calls = ['started', 'ended'].map((event) =>
		expect.objectContaining({ event, id: call }),
	);
	happened.webhooks = [{ event: 'webhook.removed', ...lost }];
	const [waiting] = await control.addMessages(1, { status: 'Sent' });
	const { phoneNumber } = await control.addChatNumber('14155550177');
	happened.numbers = [expect.objectContaining({ event: 'number.added', phoneNumber })];
	happened.stuck = [
		expect.objectContaining({ event: 'message.stuck', id: waiting, status: 'Sent' }),
	];
	happened.messages = [expect.objectContaining({ id: message, status: 'Read' })];
});

afterAll(async () => {
	await n8n.stop();
	await sandbox.close();
});

describe('a manual test', () => {
	test.each(Object.keys(kinds) as Kind[])('of %s shows a sample', async (kind) => {
		const execution = await n8n.run(await workflow(`Sample ${kind}`, kinds[kind]));
		expect(execution.error).toBeUndefined();
		expect(execution.json(trigger)).toHaveLength(1);
	});

	test('without the scope says which one to add', async () => {
		const { key } = await sandbox.control.createKey({ scopes: [] });
		const execution = await n8n.run(await workflow('No scope', calls, await credentialOf(key)));
		expect(execution.error).toMatchObject({
			httpCode: '403',
			message: expect.stringContaining('Add the scope voice:calls to the API key') as string,
		});
	});
});

test('publishing with a wrong key says what to do', async () => {
	const id = await workflow('Wrong key', balance, await credentialOf('wrong'));
	await expect(n8n.publish(id)).rejects.toThrow('Check the API key of the credential');
});

test.each(Object.keys(kinds) as Kind[])(
	'%s: what has happened is emitted, nothing old',
	async (kind) => {
		expect(await emitted(kind, 1)).toEqual(happened[kind]);
	},
);

test('a failing poll shows what to do, and the next one emits what was missed', async () => {
	const [failed] = await n8n.waitForExecutions(failing, 1, twoPolls);
	expect(failed?.status).toBe('error');
	expect(failed?.error?.message).toContain('Check the API key of the credential');

	await sandbox.control.updateKey(failingKey, { revoked: false });
	const next = await waitFor(
		'a poll that works again',
		async () => (await n8n.executions(failing)).find(({ status }) => status === 'success'),
		twoPolls,
	);
	expect(next.json(trigger)).toEqual(happened.messages);
});

test('nothing is emitted twice, and a restart emits what happened meanwhile', async () => {
	const [call] = await sandbox.control.addCalls(1, { callStatus: 'initiated' });
	const [message] = await sandbox.control.addMessages(1, { status: 'Read' });
	await n8n.restart();
	expect(await emitted('balance', 1)).toEqual(happened.balance);
	expect(await emitted('webhooks', 1)).toEqual(happened.webhooks);
	expect(await emitted('calls', 2)).toEqual([
		...(happened.calls ?? []),
		expect.objectContaining({ event: 'started', id: call }),
	]);
	expect(await emitted('messages', 2)).toEqual([
		...(happened.messages ?? []),
		expect.objectContaining({ id: message }),
	]);
});
