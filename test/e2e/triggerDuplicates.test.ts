import { randomUUID } from 'node:crypto';
import { attachN8n, waitFor } from '../../harness';
import { deliver, messageEvent } from '../../harness/deliver';
import { signed, useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

test('one event twenty times at once starts one execution, two events of a message start two', async () => {
	const { id, webhookId } = await triggers.create();
	await n8n.publish(id);
	const { url, secret } = await triggers.only(webhookId);
	const data = { providerMessageId: randomUUID() };
	const signedEvent = (kind: string) => signed(JSON.stringify(messageEvent(kind, data)), secret);
	const delivered = signedEvent('message.delivered');
	const first = await Promise.all(
		Array.from({ length: 20 }, async () => await deliver(url, delivered)),
	);
	expect(first.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
	// Out of order: `sent` arrives after `delivered`.
	expect((await deliver(url, signedEvent('message.sent'))).status).toBe(200);
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
	// One after the other, each given up a little later than the one before, so that some are while
	// n8n starts the execution.
	for (const [index, event] of events.entries()) {
		const delivery = signed(JSON.stringify(event), secret);
		const signal = AbortSignal.timeout(1 + 2 * index);
		const first = await deliver(url, { ...delivery, signal }).catch(() => undefined);
		if (first === undefined) givenUp++;
		expect((await deliver(url, delivery)).status).toBe(200);
	}
	expect(givenUp).toBeGreaterThan(0);
	// One more: whatever came before it has become an execution by then, if at all.
	const last = messageEvent();
	await deliver(url, signed(JSON.stringify(last), secret));
	const executions = await waitFor(
		'the executions of all events, the last one included',
		async () => {
			const all = await n8n.executions(id);
			const texts = all.map((one) => JSON.stringify(one.json('Then')));
			const isLastThere = texts.includes(JSON.stringify([last]));
			return isLastThere && all.length > events.length ? all : undefined;
		},
	);
	expect(executions).toHaveLength(events.length + 1);
	await n8n.unpublish(id);
});
