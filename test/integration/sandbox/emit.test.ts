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

test('sends any signature header, in any format, with any further header', async () => {
	await fixture.control.emit({ signature: 'sha256=' });
	await fixture.control.emit({ signatureFormat: 'prefixedHex' });
	await fixture.control.emit({ headers: { 'content-type': 'text/plain', 'x-more': 'yes' } });
	const headers = receiver.received.map((event) => event.headers);
	expect(headers[0]?.['x-webhook-signature']).toBe('sha256=');
	expect(headers[1]?.['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
	expect(headers[2]).toMatchObject({ 'content-type': 'text/plain', 'x-more': 'yes' });
});

test.each([
	['text', { body: '{"event": "message.sent"' }, '{"event": "message.sent"'],
	['an object', { body: { event: 'x' } }, '{"event":"x"}'],
	['a list', { body: [] }, '[]'],
	['nothing', { body: '' }, ''],
])('sends any body, signed: %s', async (_case, body, sent) => {
	await fixture.control.emit(body);
	expect(receiver.received.map((event) => event.body.toString())).toEqual([sent]);
	expect(receiver.received.map(isSigned)).toEqual([true]);
});

test('sends bytes that are no text', async () => {
	await fixture.control.emit({ bodyBase64: Buffer.from([0xff, 0x00, 0xfe]).toString('base64') });
	expect(receiver.received[0]?.body).toEqual(Buffer.from([0xff, 0x00, 0xfe]));
	expect(receiver.received.map(isSigned)).toEqual([true]);
});

test('replays a delivery byte by byte', async () => {
	const [first] = await fixture.control.emit();
	await fixture.control.advance(60_000);
	await fixture.control.emit({ replay: first?.seq });
	const [original, again] = receiver.received;
	expect(again?.body).toEqual(original?.body);
	expect(again?.headers['x-webhook-signature']).toBe(original?.headers['x-webhook-signature']);
	await expect(fixture.control.emit({ replay: 9_999 })).rejects.toThrow('No delivery 9999');
});

test('sends copies at once, or one after the other', async () => {
	receiver.gather = 20;
	await fixture.control.emit({ times: 20 });
	expect(receiver.received).toHaveLength(20);
	expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
	expect(receiver.peak).toBe(20);
	receiver.clear();
	await fixture.control.emit({ times: 5, concurrently: false });
	expect(receiver.received).toHaveLength(5);
	expect(receiver.peak).toBe(1);
});

test('sends the events of one message in any order', async () => {
	await fixture.control.updateWebhook(webhook.id, {
		events: ['message.sent', 'message.delivered', 'message.read'],
	});
	const events = ['message.read', 'message.sent', 'message.delivered'];
	await fixture.control.emit({ events, timestamp: '2025-01-01T00:00:00.000Z' });
	expect(receiver.events.map(({ event }) => event)).toEqual(events);
	expect(receiver.events.map(({ data }) => data.status)).toEqual(['read', 'sent', 'delivered']);
	expect(new Set(receiver.events.map(({ data }) => data.providerMessageId)).size).toBe(1);
	expect(receiver.events[0]?.timestamp).toBe('2025-01-01T00:00:00.000Z');
});
