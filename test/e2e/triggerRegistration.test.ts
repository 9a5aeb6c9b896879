import { startSandbox } from '../../sandbox';
import { startN8n, waitFor, type N8n } from '../../harness';
import { writeTable } from '../../harness/docs';
import { askService } from '../support/e2e/askService';
import { useTriggers } from '../support/e2e/triggers';

let n8n: N8n;
const rows: Array<[step: string, own: number, others: number]> = [];
const elsewhere = 'https://elsewhere.example/hook';

// This n8n is killed, so it is not the shared one. What it was publishing when it was
// killed it looks at again after this lease.
const env = { N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '10' };
beforeAll(async () => (n8n = await startN8n({ env })));
const triggers = useTriggers(() => n8n);

/** Registers a URL behind n8n's back. */
const register = async (url: string, events?: string[]) =>
	await askService(triggers.sandbox, '/chat/webhooks', { url, events });

beforeEach(async () => {
	const { control } = triggers.sandbox;
	await control.clearFaults();
	for (const { id } of await control.webhooks()) await control.removeWebhook(id);
	await register(elsewhere);
});

afterAll(async () => {
	const table = [
		'| after | registrations of the trigger | of another URL |',
		'|---|---:|---:|',
		...rows.map(([step, own, others]) => `| ${step} | ${own} | ${others} |`),
	].join('\n');
	writeTable('registrations', table);
	await n8n.stop();
});

/** Registrations of all triggers; that of the other URL must be there. */
async function registered() {
	const all = await triggers.sandbox.control.webhooks();
	const own = all.filter(({ url }) => url !== elsewhere);
	expect(all.length - own.length).toBe(1);
	return own;
}

/** Exactly so many registrations are there, and an event to each becomes an execution. */
async function settled(step: string, workflow: string, expected = 1): Promise<void> {
	const own = await registered();
	rows.push([step, own.length, 1]);
	expect(own).toHaveLength(expected);
	for (const { id } of own) {
		const before = (await n8n.executions(workflow)).length;
		const [answer] = await triggers.sandbox.control.emit({ webhookId: id });
		expect(answer?.status).toBe(200);
		await n8n.waitForExecutions(workflow, before + 1);
	}
}

test('one registration whatever happens', async () => {
	const { id } = await triggers.publish();
	await settled('publishing', id);

	for (const notes of ['one', 'two', 'three']) await triggers.change(id, () => ({ notes }));
	await settled('publishing three times again', id);

	await triggers.changeEvents(id, 'message.delivered');
	await settled('publishing with other events', id);
	const [own] = await registered();
	expect(own?.events).toEqual(['message.delivered']);

	await triggers.sandbox.control.removeWebhook(own?.id ?? '');
	await triggers.changeEvents(id, 'message.delivered', 'message.failed');
	await settled("deleting the registration behind n8n's back and publishing", id);

	const [kept] = await registered();
	await n8n.unpublish(id);
	await settled('unpublishing', id, 0);

	// A registration whose secret nobody knows any more, as a lost database leaves it.
	await register(kept?.url ?? '', kept?.events);
	await n8n.publish(id);
	await settled('publishing after the secret was lost', id);

	await n8n.archive(id);
	await n8n.deleteWorkflow(id);
	rows.push(['deleting the workflow', (await registered()).length, 1]);
	expect(await registered()).toEqual([]);
});

test('n8n killed before it has saved what it registered', async () => {
	const { id } = await triggers.create();
	await triggers.sandbox.control.addFault({
		kind: 'silence',
		method: 'POST',
		path: '/chat/webhooks',
		when: 'after',
	});
	const publishing = n8n.publish(id).catch(() => undefined);
	const orphan = await waitFor('the registration', async () => (await registered())[0]);
	await n8n.kill('SIGKILL');
	await publishing;
	await n8n.restart();
	// n8n takes it for published, but nobody knows the secret.
	await n8n.publish(id);
	expect(await registered()).toEqual([orphan]);
	const [refused] = await triggers.sandbox.control.emit({ webhookId: orphan.id });
	expect(refused?.status).toBe(401);
	expect(n8n.log()).toContain('has no secret: unpublish its workflow and publish it again');
	await n8n.unpublish(id);
	await n8n.publish(id);
	await settled('n8n killed while it registers, unpublishing and publishing', id);
	await n8n.unpublish(id);
	expect(await registered()).toEqual([]);
});

test('another credential: the account before keeps nothing', async () => {
	const { id } = await triggers.publish();
	const other = await startSandbox({ lifecycle: { enabled: false } });
	try {
		const credential = await n8n.createAccount(other);
		await triggers.change(id, () => ({ credentials: { messagingServiceApi: credential } }));
		expect(await registered()).toEqual([]);
		expect(await other.control.webhooks()).toHaveLength(1);
		await other.control.emit();
		await n8n.waitForExecutions(id, 1);
		await n8n.unpublish(id);
		expect(await other.control.webhooks()).toEqual([]);
	} finally {
		await other.close();
	}
});

test('testing in the editor has a registration of its own and leaves the published one alone', async () => {
	const { id, webhookId, registration: own } = await triggers.publish();
	/** n8n removes the test registration a moment after the event or the click on "Stop". */
	const testingOver = async () =>
		await waitFor(
			'the test registration to be removed',
			async () => (await triggers.registrations(webhookId)).length === 1,
		);
	await n8n.listen(id);
	const both = await triggers.registrations(webhookId);
	expect(both).toHaveLength(2);
	const testing = both.find(({ url }) => url !== own.url);
	expect(testing?.url).toContain('/webhook-test/');
	const [answer] = await triggers.sandbox.control.emit({ webhookId: testing?.id });
	expect(answer?.status).toBe(200);
	const [manual] = await n8n.waitForExecutions(id, 1);
	expect(manual?.mode).toBe('manual');
	await testingOver();
	expect(await triggers.only(webhookId)).toEqual(own);

	await n8n.listen(id);
	await n8n.stopListening(id);
	await testingOver();
	expect(await triggers.only(webhookId)).toEqual(own);
	await triggers.sandbox.control.emit({ webhookId: own.id });
	expect(await n8n.waitForExecutions(id, 2)).toHaveLength(2);
	await n8n.unpublish(id);
});
