import { TriggerWorkflow, type TriggerSettings } from '../support/core/triggerWorkflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const elsewhere = 'https://elsewhere.example/hook';

/** Registers a URL that has nothing to do with the trigger, or the trigger's own behind its back. */
async function register(url: string, events = ['message.sent']): Promise<string> {
	const [item] = await sandbox.json({ resource: 'webhook', operation: 'create', url, events });
	return String(item?.id);
}

const workflow = (change: Partial<TriggerSettings> = {}) =>
	new TriggerWorkflow({ credential: sandbox.credential(), ...change });

/** URLs that are registered, but for that of somebody else, which must always be there. */
async function registered(): Promise<string[]> {
	const urls = (await sandbox.control.webhooks()).map(({ url }) => url);
	expect(urls).toContain(elsewhere);
	return urls.filter((url) => url !== elsewhere);
}

const failOnce = async (method: string, count: number | 'infinite' = 1) =>
	await sandbox.control.addFault({
		kind: 'status',
		method,
		path: '/chat/webhooks',
		status: 500,
		body: { error: 'Down' },
		count,
	});

beforeEach(async () => void (await register(elsewhere)));

test.each(['webhooks', 'array', 'data'] as const)(
	'one registration however it is published, listed as %s',
	async (webhookList) => {
		await sandbox.control.setAssumptions({ webhookList, duplicateWebhookUrl: 'reject' });
		const own = workflow();
		await own.publish();
		const { webhookId, secret } = own.stored;
		await own.publish();
		expect(own.stored).toMatchObject({ webhookId, secret });
		await own.republish({ events: ['message.read'] });
		expect(await registered()).toEqual([own.url]);
		expect(own.stored.secret).not.toBe(secret);
		await own.unpublish();
		expect(await registered()).toEqual([]);
	},
);

describe('what must not stay', () => {
	test('one that n8n was killed over before it saved', async () => {
		const own = workflow();
		await own.publishAndDie();
		expect(own.stored).toEqual({});
		await own.publish();
		expect(await registered()).toEqual([own.url]);
		await own.unpublish();
		expect(await registered()).toEqual([]);
	});

	test('one whose response was lost', async () => {
		const own = workflow();
		await sandbox.control.addFault({
			kind: 'cut',
			method: 'POST',
			path: '/chat/webhooks',
			when: 'after',
		});
		await expect(own.publish()).rejects.toThrow('was cut before the answer was complete');
		expect(await registered()).toEqual([]);
	});

	test('one that could not be deleted at first', async () => {
		const own = workflow();
		await own.publish();
		await failOnce('DELETE');
		own.change({ webhookUrl: 'https://moved.example/' });
		await expect(own.unpublish()).rejects.toThrow('Down');
		expect(await registered()).toHaveLength(1);
		await own.publish();
		expect(await registered()).toEqual([own.url]);
	});

	test('one of the account before, if its key is still there when the credential changes', async () => {
		const own = workflow();
		await own.publish();
		const { key } = await sandbox.control.createKey();
		await sandbox.control.updateKey(sandbox.credential().apiKey, { revoked: true });
		await expect(own.unpublish()).rejects.toThrow('Unauthorized');
		own.change({ credential: sandbox.credential(key) });
		await own.publish();
		expect(await registered()).toEqual([own.url]);
		await own.unpublish();
		expect(await registered()).toEqual([]);
	});
});

describe('a copy does not touch the original', () => {
	const change = [
		['under another URL', { workflowId: 'copy', webhookId: 'other' }],
		['in another n8n', { instance: 'two', webhookUrl: 'https://staging.example/' }],
		['beside it in the workflow', { nodeId: 'copy', webhookId: 'other' }],
	] as const;

	test.each(change)('%s', async (_where, changed) => {
		const original = workflow();
		await original.publish();
		const copy = original.copy(changed);

		await failOnce('POST');
		await expect(copy.publish()).rejects.toThrow('Down');
		expect(await registered()).toEqual([original.url]);

		await copy.publish();
		expect((await registered()).sort()).toEqual([original.url, copy.url].sort());
		await copy.republish({ events: ['message.failed'] });
		await copy.unpublish();
		expect(await registered()).toEqual([original.url]);
	});

	// n8n without its publication service asks a workflow to delete that could not have the URL.
	test.each([{}, { saved: {} }])('with the same URL (%#)', async (changed) => {
		const original = workflow();
		await original.publish();
		await original.copy({ workflowId: 'copy', ...changed }).unpublish();
		expect(await registered()).toEqual([original.url]);
	});

	test('and takes over from one that moved to another n8n with its URL', async () => {
		const original = workflow();
		await original.publish();
		const moved = original.copy({ instance: 'two', workflowId: 'moved' });
		await moved.publish();
		expect(moved.stored.secret).toBe(original.stored.secret);
		await moved.unpublish();
		expect(await registered()).toEqual([]);
	});
});

test('a maximum age of events that cannot be read registers nothing', async () => {
	const own = workflow({ options: { maxAgeSeconds: -1 } });
	await expect(own.publish()).rejects.toThrow(/^Max Age \(Seconds\) is less than 0\. Correct/);
	expect(await registered()).toEqual([]);
});
