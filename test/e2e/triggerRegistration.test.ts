import { filter } from 'lodash';
import { assume, startSandbox, type Assumptions } from '../../sandbox';
import { attachN8n, waitFor } from '../../harness';
import { askService } from '../support/e2e/sandbox';
import { useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);
const elsewhere = 'https://elsewhere.example/hook';

/** Registers a URL behind n8n's back. */
const register = async (url: string, events?: string[]) =>
	await askService(triggers.sandbox, '/chat/webhooks', { url, events });

/** Registrations of all triggers; that of another URL stays. */
async function registered() {
	const all = filter(await triggers.sandbox.control.webhooks(), 'isActive');
	const own = all.filter(({ url }) => url !== elsewhere);
	expect(all.length - own.length).toBe(1);
	return own;
}

beforeAll(async () => await register(elsewhere));

/** One registration is there, and an event to it becomes an execution. */
async function settled(workflow: string) {
	const own = await registered();
	expect(own).toHaveLength(1);
	const before = (await n8n.executions(workflow)).length;
	const [answer] = await triggers.sandbox.control.emit({ webhookId: own[0]?.id });
	expect(answer?.status).toBe(200);
	await n8n.waitForExecutions(workflow, before + 1);
	return own[0];
}

/** What a service may do otherwise; test/integration/assumptions.test.ts draws all of it, without a real n8n. */
const services: Array<Partial<Assumptions>> = [
	{},
	{ webhookList: 'data', fields: 'nulls', deleteResponse: 'empty', signature: 'base64url' },
	{
		webhookList: 'bare',
		webhookFields: 'withoutEvents',
		deleted: 'inactive',
		signature: 'prefixed',
	},
];

test.each(services)('one registration whatever happens: %j', async (assumptions) => {
	await triggers.sandbox.control.setAssumptions(assume(assumptions));
	const { id } = await triggers.publish();
	await settled(id);

	for (const notes of ['one', 'two']) await triggers.change(id, () => ({ notes }));
	await settled(id);

	await triggers.changeEvents(id, 'message.delivered');
	const own = await settled(id);
	expect(own?.events).toEqual(['message.delivered']);

	// The registration was deleted behind n8n's back.
	await triggers.sandbox.control.removeWebhook(own?.id ?? '');
	await triggers.changeEvents(id, 'message.delivered', 'message.failed');
	const kept = await settled(id);

	await n8n.unpublish(id);
	expect(await registered()).toEqual([]);

	// A registration whose secret nobody has any more, as a lost database leaves it.
	await register(kept?.url ?? '', kept?.events);
	await n8n.publish(id);
	await settled(id);

	await n8n.unpublish(id, 'archive');
	expect(await registered()).toEqual([]);
	await triggers.sandbox.control.setAssumptions(assume());
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
	const testingOver = async () => {
		const isAlone = async () => (await triggers.registrations(webhookId)).length === 1;
		await waitFor('the test registration to be removed', isAlone);
		expect(await triggers.only(webhookId)).toEqual(own);
	};
	await n8n.start(id);
	const both = await triggers.registrations(webhookId);
	expect(both).toHaveLength(2);
	const testing = both.find(({ url }) => url !== own.url);
	expect(testing?.url).toContain('/webhook-test/');
	const [answer] = await triggers.sandbox.control.emit({ webhookId: testing?.id });
	expect(answer?.status).toBe(200);
	const [manual] = await n8n.waitForExecutions(id, 1);
	expect(manual?.mode).toBe('manual');
	await testingOver();

	await n8n.start(id);
	await n8n.stopListening(id);
	await testingOver();
	await settled(id);
	await n8n.unpublish(id);
});
