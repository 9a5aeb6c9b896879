import { createHmac } from 'node:crypto';
import { useReceiver, type ReceivedEvent } from './support/useReceiver';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const receiver = useReceiver();
let webhook: { id: string; secret: string };

beforeEach(async () => {
	webhook = (await fixture.api.post('/chat/webhooks', { url: receiver.url })).data.webhook;
});

function isSigned({ body, headers }: ReceivedEvent): boolean {
	const hmac = createHmac('sha256', webhook.secret).update(body).digest('hex');
	return headers['x-webhook-signature'] === hmac;
}

test('sends a signed event and gives the answer', async () => {
	receiver.statuses = [202];
	const entries = await fixture.control.emit({
		event: 'message.failed',
		data: { to: '911234567890' },
	});
	expect(receiver.received.map(isSigned)).toEqual([true]);
	expect(receiver.events).toMatchObject([
		{ event: 'message.failed', data: { to: '911234567890', status: 'failed' } },
	]);
	expect(entries).toMatchObject([{ webhookId: webhook.id, status: 202, responseBody: 'taken' }]);
	expect(await fixture.control.journal({ kind: 'delivery' })).toEqual(entries);
});

test('reaches subscribers only, or one webhook whatever its events', async () => {
	expect(await fixture.control.emit({ event: 'message.read' })).toEqual([]);
	expect(await fixture.control.emit({ event: 'message.read', webhookId: webhook.id })).toHaveLength(
		1,
	);
	expect(await fixture.control.emit({ event: 'balance.low', webhookId: webhook.id })).toHaveLength(
		1,
	);
	await expect(fixture.control.emit({ webhookId: 'unknown' })).rejects.toThrow(
		'No webhook unknown',
	);
});

test('forges with another secret', async () => {
	await fixture.control.emit({ signing: 'forged' });
	const [event] = receiver.received;
	expect(event?.headers['x-webhook-signature']).toMatch(/^[0-9a-f]{64}$/);
	expect(receiver.received.map(isSigned)).toEqual([false]);
});

test('leaves the signature out', async () => {
	await fixture.control.emit({ signing: 'unsigned' });
	expect(receiver.received[0]?.headers).not.toHaveProperty('x-webhook-signature');
});

test('sends copies at once, with the time that is wanted', async () => {
	receiver.gather = 20;
	await fixture.control.emit({ times: 20, timestamp: '2025-01-01T00:00:00.000Z' });
	expect(receiver.received).toHaveLength(20);
	expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
	expect(receiver.peak).toBe(20);
	expect(receiver.events[0]?.timestamp).toBe('2025-01-01T00:00:00.000Z');
});
