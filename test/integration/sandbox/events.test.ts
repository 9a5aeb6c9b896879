import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '../../../sandbox/documented';
import { useReceiver } from './support/useReceiver';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const receiver = useReceiver();
const all: WebhookEvent[] = ['message.sent', 'message.delivered', 'message.read', 'message.failed'];

async function register(events: WebhookEvent[] = all): Promise<{ id: string; secret: string }> {
	const { data } = await fixture.api.post('/chat/webhooks', { url: receiver.url, events });
	return data.webhook;
}

async function sendTemplate(phone = '919812345678') {
	const body = { phone, templateName: 'order_update' };
	return (await fixture.api.post('/chat/send-template', body)).data;
}

/** Lets the message go all its way. */
async function finish(): Promise<void> {
	for (let step = 0; step < 3; step++) {
		await fixture.control.settle();
		await fixture.control.advance(400);
	}
	await fixture.control.settle();
}

test('a message tells each status once, with all fields', async () => {
	await register();
	const { providerMessageId } = await sendTemplate();
	await finish();
	const { chatNumbers } = await fixture.control.info();
	const from = chatNumbers.find(({ isDefault }) => isDefault)?.phoneNumber;
	expect(receiver.events).toEqual(
		['sent', 'delivered', 'read'].map((status) => ({
			event: `message.${status}`,
			timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
			data: { providerMessageId, status, to: '919812345678', from, templateName: 'order_update' },
		})),
	);
});

test('a failed message tells so', async () => {
	await register();
	await sendTemplate('919812340000');
	await finish();
	expect(receiver.events.map(({ event }) => event)).toEqual(['message.sent', 'message.failed']);
});

test.each([
	['a text', '/chat/send', { message: 'Hello' }],
	['media', '/chat/send-media', { type: 'image', mediaUrl: 'https://files.example/a.png' }],
	['a template', '/chat/send-template', { templateName: 'order_update' }],
])('%s tells its statuses', async (_case, path, body) => {
	await register(['message.sent']);
	await fixture.api.post(path, { phone: '919812345678', ...body });
	await fixture.control.settle();
	expect(receiver.events.map(({ data }) => data.to)).toEqual(['919812345678']);
});

test('a bulk campaign tells for each recipient', async () => {
	await register(['message.sent']);
	const recipients = Array.from({ length: 600 }, (_, index) => ({
		phone: String(919_000_000_000 + index),
	}));
	await fixture.api.post('/chat/bulk-send', { templateName: 'order_update', recipients });
	await fixture.control.settle();
	const told = receiver.events.map(({ data }) => data.to).sort();
	expect(told).toEqual(recipients.map(({ phone }) => phone));
});

test('only active registrations that asked for an event are told', async () => {
	const [read, removed, inactive] = [
		await register(['message.read']),
		await register(),
		await register(),
	];
	await fixture.api.delete(`/chat/webhooks?id=${removed.id}`);
	await fixture.control.updateWebhook(inactive.id, { isActive: false });
	await sendTemplate();
	await finish();
	const deliveries = await fixture.control.journal({ kind: 'delivery' });
	expect(deliveries.map(({ webhookId, event }) => [webhookId, event])).toEqual([
		[read.id, 'message.read'],
	]);
});

test.each([
	['hex', (hmac: Buffer) => hmac.toString('hex')],
	['base64', (hmac: Buffer) => hmac.toString('base64')],
	['prefixedHex', (hmac: Buffer) => `sha256=${hmac.toString('hex')}`],
	['prefixedBase64', (hmac: Buffer) => `sha256=${hmac.toString('base64')}`],
] as const)('the raw body is signed with the secret (%s)', async (signature, written) => {
	await fixture.control.setAssumptions({ signature });
	const { secret } = await register(['message.sent']);
	await sendTemplate();
	await fixture.control.settle();
	const [event] = receiver.received;
	if (!event) throw new Error('Nothing was delivered');
	const hmac = createHmac('sha256', secret).update(event.body).digest();
	expect(event.headers['x-webhook-signature']).toBe(written(hmac));
	expect(event.headers['content-type']).toBe('application/json');
});

test('a receiver that is not there is noted', async () => {
	await fixture.api.post('/chat/webhooks', {
		url: 'http://127.0.0.1:1/x',
		events: ['message.sent'],
	});
	await sendTemplate();
	await fixture.control.settle();
	expect(await fixture.control.journal({ kind: 'delivery' })).toMatchObject([
		{ status: null, error: 'ECONNREFUSED' },
	]);
});

test('at most 64 deliveries are under way at once', async () => {
	receiver.gather = 64;
	await register(['message.sent']);
	const recipients = Array.from({ length: 640 }, (_, index) => ({
		phone: String(919_000_000_000 + index),
	}));
	await fixture.api.post('/chat/bulk-send', { templateName: 'order_update', recipients });
	await fixture.control.settle();
	expect(receiver.received).toHaveLength(640);
	expect(receiver.peak).toBe(64);
});
