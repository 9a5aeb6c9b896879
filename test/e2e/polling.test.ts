import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	attachN8n,
	chain,
	messagingServicePollingTrigger,
	noOp,
	type CredentialRef,
} from '../../harness';

const trigger = 'Messaging Service Polling Trigger';

const balance = { watch: 'balance', resources: ['chatBalance'], warningThreshold: 100 };
const messages = { watch: 'messages', statuses: ['Read'] };

const n8n = attachN8n();
let sandbox: Sandbox;

const credentialOf = async (apiKey: string) =>
	await n8n.createCredential(`Polling ${crypto.randomUUID()}`, {
		baseUrl: sandbox.baseUrl,
		apiKey,
	});

const workflow = async (parameters: INodeParameters, credential: CredentialRef) =>
	await n8n.createWorkflow(
		chain('Polling', [messagingServicePollingTrigger(parameters, credential), noOp('Then')]),
	);

beforeAll(async () => (sandbox = await startSandbox({ lifecycle: { enabled: false } })));

afterAll(async () => await sandbox.close());

test('a manual test shows a sample, or which scope to add', async () => {
	const good = await credentialOf(sandbox.keys.production);
	const sample = await n8n.run(await workflow(balance, good));
	expect(sample.error).toBeUndefined();
	expect(sample.json(trigger)).toHaveLength(1);

	const { key } = await sandbox.control.createKey({ scopes: [] });
	const refused = await n8n.run(await workflow(messages, await credentialOf(key)));
	expect(refused.error).toMatchObject({
		httpCode: '403',
		message: expect.stringContaining('Add the scope chat:campaigns to the API key') as string,
	});
});

test('publishing with a wrong key says what to do', async () => {
	const id = await workflow(balance, await credentialOf('wrong'));
	await expect(n8n.publish(id)).rejects.toThrow('Check the API key of the credential');
});
