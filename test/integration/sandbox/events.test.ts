import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '../../../sandbox/documented';
import { useReceiver, type ReceivedEvent } from './support/useReceiver';
import { phone, template, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

const receiver = useReceiver();
const all: WebhookEvent[] = ['message.sent', 'message.delivered', 'message.read', 'message.failed'];

async function register(events: WebhookEvent[] = all): Promise<{ id: string; secret: string }> {
	const { data } = await fixture.api.post('/chat/webhooks', { url: receiver.url, events });
	return data.webhook;
}

const send = async (to = phone) =>
	(await fixture.api.post('/chat/send-template', { ...template, phone: to })).data;

/** Lets messages go all their way. */
const moving = async () =>
	await fixture.control.setLifecycle({ enabled: true, deliveredAfterMs: 1, readAfterMs: 1 });

function isSigned({ body, headers }: ReceivedEvent, secret: string): boolean {
	const hmac = createHmac('sha256', secret).update(body).digest('hex');
	return headers['x-webhook-signature'] === hmac;
}

test('a message tells each status once, with all fields', async () => {
	await moving();
	const { secret } = await register();
	const { providerMessageId } = await send();
	await fixture.control.settle();
	const { chatNumbers } = await fixture.control.info();
	const from = chatNumbers.find(({ isDefault }) => isDefault)?.phoneNumber;
	expect(receiver.events).toEqual(
		['sent', 'delivered', 'read'].map((status) => ({
			event: `message.${status}`,
			timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
			data: { providerMessageId, status, to: phone, from, templateName: 'order_update' },
		})),
	);
	expect(receiver.received.map((one) => isSigned(one, secret))).toEqual([true, true, true]);
	expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
});

test('a receiver that is not there is noted', async () => {
	await fixture.api.post('/chat/webhooks', {
		url: 'http://127.0.0.1:1/x',
		events: ['message.sent'],
	});
	await send();
	await fixture.control.settle();
	expect(await fixture.control.journal({ kind: 'delivery' })).toMatchObject([
		{ status: null, error: 'ECONNREFUSED' },
	]);
});

test('a message moved by hand tells the webhooks that asked for its event', async () => {
	await register(['message.failed']);
	await register(['message.read']);
	const [id = ''] = await fixture.control.addMessages(1, { to: phone });
	expect(receiver.events).toEqual([]);
	expect(await fixture.control.updateMessage(id, 'Failed')).toMatchObject({ id, status: 'Failed' });
	await fixture.control.settle();
	expect(receiver.events).toMatchObject([{ event: 'message.failed', data: { to: phone } }]);
});

describe('what control emits', () => {
	let webhook: { id: string; secret: string };
	beforeEach(async () => {
		webhook = await register(['message.delivered', 'message.failed']);
	});

	test('is signed, and the answer is given', async () => {
		receiver.status = 202;
		const { control } = fixture;
		const entries = await control.emit({ event: 'message.failed', data: { to: '447700900890' } });
		expect(receiver.received.map((one) => isSigned(one, webhook.secret))).toEqual([true]);
		expect(receiver.events).toMatchObject([
			{ event: 'message.failed', data: { to: '447700900890', status: 'failed' } },
		]);
		expect(entries).toMatchObject([{ webhookId: webhook.id, status: 202 }]);
		expect(await control.journal({ kind: 'delivery' })).toEqual(entries);
	});

	test('reaches subscribers only, or one webhook whatever its events', async () => {
		const { control } = fixture;
		const webhookId = webhook.id;
		expect(await control.emit({ event: 'message.read' })).toEqual([]);
		expect(await control.emit({ event: 'balance.low', webhookId })).toHaveLength(1);
		await expect(control.emit({ webhookId: 'unknown' })).rejects.toThrow('No webhook unknown');
	});

	test('may be forged or unsigned', async () => {
		await fixture.control.emit({ signing: 'forged' });
		await fixture.control.emit({ signing: 'unsigned' });
		const [forged, unsigned] = receiver.received;
		expect(forged?.headers['x-webhook-signature']).toMatch(/^[0-9a-f]{64}$/);
		expect(forged && isSigned(forged, webhook.secret)).toBe(false);
		expect(unsigned?.headers).not.toHaveProperty('x-webhook-signature');
	});
});
