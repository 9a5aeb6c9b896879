import { randomUUID } from 'node:crypto';
import { attachN8n } from '../../harness';
import { deliver, messageEvent } from '../../harness/deliver';
import { signed, useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

test('one event twenty times at once starts one execution, two events of a message start two', async () => {
	const { id, webhookId } = await triggers.create();
	await n8n.publish(id);
	const { id: registration } = await triggers.only(webhookId);
	const { control } = triggers.sandbox;
	const emit = { webhookId: registration, data: { providerMessageId: randomUUID() } };
	const first = await control.emit({ ...emit, event: 'message.delivered', times: 20 });
	expect(first.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
	// Out of order: `sent` arrives after `delivered`.
	await control.emit({ ...emit, event: 'message.sent' });
	const executions = await n8n.waitForExecutions(id, 2);
	expect(executions.map((execution) => execution.json('Then')[0]?.event)).toEqual([
		'message.delivered',
		'message.sent',
	]);
	await n8n.unpublish(id);
});

test('an event starts one execution when the service gives up waiting and delivers it again', async () => {
	const { id, webhookId } = await triggers.create();
	await n8n.publish(id);
	const { url, secret } = await triggers.only(webhookId);
	const events = Array.from({ length: 40 }, () => messageEvent());
	let givenUp = 0;
	await Promise.all(
		events.map(async (event, index) => {
			const delivery = signed(JSON.stringify(event), secret);
			// Sooner or later than n8n has started the execution, which takes it some 50 ms for each.
			const signal = AbortSignal.timeout(50 + 20 * index);
			const first = await deliver(url, { ...delivery, signal }).catch(() => undefined);
			if (first) return expect(first.status).toBe(200);
			givenUp++;
			expect((await deliver(url, delivery)).status).toBe(200);
		}),
	);
	expect(givenUp).toBeGreaterThan(0);
	await n8n.waitForExecutions(id, events.length);
	// One more: whatever came before it has become an execution by then, if at all.
	await deliver(url, signed(JSON.stringify(messageEvent()), secret));
	const executions = await n8n.waitForExecutions(id, events.length + 1);
	expect(executions).toHaveLength(events.length + 1);
	await n8n.unpublish(id);
});

test.each([
	['the option is off', { ignoreDuplicates: false }, { data: { providerMessageId: 'same' } }],
	['the event has no message id', {}, { body: JSON.stringify({ event: 'message.sent' }) }],
])('every delivery starts an execution when %s', async (_when, options, emit) => {
	const { id, webhookId } = await triggers.create({ options });
	await n8n.publish(id);
	const { id: registration } = await triggers.only(webhookId);
	await triggers.sandbox.control.emit({ webhookId: registration, times: 3, ...emit });
	expect(await n8n.waitForExecutions(id, 3)).toHaveLength(3);
	await n8n.unpublish(id);
});
