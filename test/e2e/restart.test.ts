import {
	chain,
	messagingService,
	messagingServicePollingTrigger,
	noOp,
	startN8n,
	waitFor,
	type N8n,
} from '../../harness';
import { deliver, messageEvent, signed } from '../../harness/deliver';
import { pollTimes } from '../support/e2e/polls';
import { useTriggers } from '../support/e2e/triggers';
import { webhookCall } from '../support/webhookCall';

// What goes on after n8n is killed: each part begins before it, all share one kill, and the tests look at
// what came after it. So it is not the shared n8n.
let n8n: N8n;
beforeAll(async () => {
	const outbox = 'N8N_WORKFLOW_PUBLICATION_OUTBOX';
	// What n8n was publishing when it was killed it looks at again after this lease.
	const env = { [`${outbox}_LEASE_SECONDS`]: '20', [`${outbox}_POLL_INTERVAL_MS`]: '1000' };
	n8n = await startN8n({ env });
});
const triggers = useTriggers(() => n8n);
beforeAll(async () => {
	// The message that asks is sent before anybody listens to its event.
	await Promise.all([polls.begin(), question.begin().then(registration.begin)]);
	const { publishing } = await orphan.begin();
	await n8n.process.kill('SIGKILL');
	await publishing;
	await n8n.process.restart();
});
afterAll(async () => await n8n.stop());

const polls = {
	id: '',
	found: [''],
	/** The records that so many polls have emitted, which are all that have. */
	emitted: async (count: number) => {
		const good = await waitFor(`${count} polls that emit`, async () => {
			const all = await n8n.executions(polls.id);
			const found = all.filter(({ status }) => status === 'success');
			return found.length >= count && found;
		});
		expect(good).toHaveLength(count);
		return good.flatMap((execution) => execution.json('Then').map(({ id }) => id));
	},
	begin: async () => {
		const { control } = triggers.sandbox;
		await control.addMessages(3, { status: 'Read' });
		const { key } = await control.createKey();
		const credential = await n8n.createAccount(triggers.sandbox, key);
		const parameters = { watch: 'messages', statuses: ['Read'], pollTimes };
		const polling = messagingServicePollingTrigger(parameters, credential);
		polls.id = await n8n.createPublished(chain('Polling', [polling, noOp('Then')]));
		const first = await control.addMessages(1, { status: 'Read' });
		expect(await polls.emitted(1)).toEqual(first);
		await control.updateKey(key, { revoked: true });
		polls.found = [...first, ...(await control.addMessages(1, { status: 'Read' }))];
		const failed = await waitFor('a poll that fails', async () =>
			(await n8n.executions(polls.id)).find(({ status }) => status === 'error'),
		);
		expect(failed.error?.message).toContain('Check the API key of the credential');
		await control.updateKey(key, { revoked: false });
	},
};

test('what polls find is emitted once, even after failed polls', async () => {
	expect(await polls.emitted(2)).toEqual(polls.found);
});

const question = {
	url: '',
	executionId: '',
	begin: async () => {
		const call = webhookCall();
		const asking = messagingService(
			{
				...{ resource: 'chatMessage', operation: 'sendAndWait', phone: '447700900210' },
				message: 'Ship order 1042?',
				approvalOptions: { values: { approvalType: 'double' } },
			},
			triggers.credential,
			{ name: 'Ask' },
		);
		const id = await n8n.createPublished(chain('Ask', [call.node, asking, noOp('Then')]));
		await call.send(n8n.url);
		question.executionId = await n8n.newestExecution(id);
		await n8n.waitForExecution(question.executionId, 'waiting');
		const { journal } = triggers.sandbox.control;
		const [asked] = await journal({ kind: 'request', path: '/chat/send' });
		const { message } = asked?.body as { message: string };
		question.url = /Approve: (\S+)/.exec(message)?.[1] ?? '';
	},
};

test('an execution that waits for an answer still accepts it', async () => {
	const { url, executionId } = question;
	expect((await fetch(url)).status).toBe(200);
	// At its start n8n takes what waits for crashed, and corrects itself while it already serves.
	await n8n.waitForExecution(executionId, 'waiting');
	await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
	});
	const execution = await n8n.waitForExecution(executionId);
	expect([execution.status, execution.error]).toEqual(['success', undefined]);
	const respondedAt = expect.stringMatching(/^\d{4}-.*Z$/) as string;
	expect(execution.json('Then')).toEqual([
		{ answered: true, data: { approved: true, respondedAt }, to: '447700900210' },
	]);
});

const registration = {
	id: '',
	webhookId: '',
	/** What deliveries with the current secret and the one before are answered. */
	answers: async () => await Promise.all(registration.deliveries.map(async (send) => await send())),
	deliveries: [] as Array<() => Promise<number>>,
	begin: async () => {
		const { id, webhookId, registration: former } = await triggers.publish();
		await triggers.changeEvents(id, 'message.delivered');
		const { url, secret } = await triggers.only(webhookId);
		expect(secret).not.toBe(former.secret);
		registration.deliveries = [secret, former.secret].map((one) => async () => {
			const { status } = await deliver(url, signed(JSON.stringify(messageEvent()), one));
			return status;
		});
		Object.assign(registration, { id, webhookId });
		expect(await registration.answers()).toEqual([200, 200]);
	},
};

test('the secret before a change of the events counts on, and the registration stays one', async () => {
	expect(await registration.answers()).toEqual([200, 200]);
	await triggers.only(registration.webhookId);
	expect(await n8n.waitForExecutions(registration.id, 4)).toHaveLength(4);
});

const orphan = {
	id: '',
	webhookId: '',
	lost: '',
	/** Publishes a workflow until it is registered, which n8n does not learn. @returns the end of the publishing */
	begin: async () => {
		Object.assign(orphan, await triggers.create());
		const request = { method: 'POST', path: '/chat/webhooks' } as const;
		await triggers.sandbox.control.addFault({ kind: 'silence', when: 'after', ...request });
		const publishing = n8n.publish(orphan.id).catch(() => undefined);
		const isRegistered = async () => (await triggers.registrations(orphan.webhookId)).length === 1;
		await waitFor('the registration', isRegistered);
		orphan.lost = (await triggers.only(orphan.webhookId)).id;
		return { publishing };
	},
};

test('a registration of which n8n lost the secret says so, and is replaced when published again', async () => {
	const { id, webhookId, lost } = orphan;
	const emit = async (webhook: string) =>
		(await triggers.sandbox.control.emit({ webhookId: webhook }))[0]?.status;
	await n8n.publish(id);
	// n8n takes it for published, or registers triggers again when it starts, as 2.35.7 does.
	if ((await triggers.only(webhookId)).id === lost) {
		expect(await emit(lost)).toBe(401);
		expect(n8n.process.log()).toContain(
			'has no secret: unpublish its workflow and publish it again',
		);
		await n8n.unpublish(id);
		await n8n.publish(id);
	}
	const { id: own } = await triggers.only(webhookId);
	expect([own === lost, await emit(own)]).toEqual([false, 200]);
	await n8n.waitForExecutions(id, 1);
});
