import type { IDataObject, INodeParameters } from 'n8n-workflow';
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
const messages = { watch: 'messages', statuses: ['Read'] };

let n8n: N8n;
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

/** What the polls of a workflow have emitted, once so many have. */
async function emitted(id: string, polls: number): Promise<IDataObject[]> {
	const found = await waitFor(
		`${polls} polls that emit`,
		async () => {
			const good = (await n8n.executions(id)).filter(({ status }) => status === 'success');
			return good.length >= polls ? good : undefined;
		},
		twoPolls,
	);
	expect(found).toHaveLength(polls);
	return found.flatMap((execution) => execution.json(trigger));
}

// This n8n is restarted, so it is not the shared one.
beforeAll(async () => {
	[sandbox, n8n] = await Promise.all([startSandbox({ lifecycle: { enabled: false } }), startN8n()]);
});

afterAll(async () => {
	await n8n.stop();
	await sandbox.close();
});

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

test('what happens is emitted once, also while polls fail and n8n restarts', async () => {
	const { control, keys } = sandbox;
	await control.addMessages(3, { status: 'Read' });
	const { key } = await control.createKey();
	const ids = {
		balance: await workflow(balance, await credentialOf(keys.production)),
		messages: await workflow(messages, await credentialOf(keys.production)),
		failing: await workflow(messages, await credentialOf(key)),
	};
	await Promise.all(Object.values(ids).map(async (id) => await n8n.publish(id)));

	await control.updateKey(key, { revoked: true });
	await control.setAccount({ chatBalance: 50 });
	const [first] = await control.addMessages(1, { status: 'Read' });
	const low = { event: 'balance.low', resource: 'chatBalance', value: 50 };
	expect(await emitted(ids.balance, 1)).toMatchObject([low]);
	expect(await emitted(ids.messages, 1)).toMatchObject([{ id: first, status: 'Read' }]);
	const [failed] = await n8n.waitForExecutions(ids.failing, 1, twoPolls);
	expect(failed?.status).toBe('error');
	expect(failed?.error?.message).toContain('Check the API key of the credential');

	const [second] = await control.addMessages(1, { status: 'Read' });
	await control.updateKey(key, { revoked: false });
	await n8n.restart();
	const both = [{ id: first }, { id: second }];
	expect(await emitted(ids.messages, 2)).toMatchObject(both);
	expect(await emitted(ids.failing, 1)).toMatchObject(both);
	expect(await emitted(ids.balance, 1)).toMatchObject([low]);
});
