import { z } from 'zod';
import { webhookEvents, type WebhookEvent } from '../documented';
import { ServiceError } from '../http/endpoint';
import { schema } from '../http/validate';
import type { DeliveryEntry } from '../journal';
import { writeChatNumber, writeTime } from '../state/records';
import type { Webhook } from '../state/webhooks';
import type { Service } from '../service';
import { sign } from './event';

/** What to send to webhooks right now, whether or not anything happened. */
export const emitSchema = schema({
	/** Kind of event; any text, so that unknown ones can be sent. */
	event: z.string().default('message.delivered'),
	/** Fields of `data` in place of made-up ones; further fields are sent too. */
	data: z.record(z.unknown()).default({}),
	/** `forged` signs with a secret that is not the webhook's; `unsigned` leaves the header out. */
	signing: z.enum(['valid', 'forged', 'unsigned']).default('valid'),
	/** Only this webhook, whatever its events; all subscribers by default. */
	webhookId: z.string().optional(),
});
export type EmitInput = z.input<typeof emitSchema>;
type Emit = z.output<typeof emitSchema>;

/** Sends what was asked for and gives the journal entries of all deliveries. */
export async function emit(service: Service, wanted: Emit): Promise<DeliveryEntry[]> {
	const body = JSON.stringify(payload(service, wanted));
	const deliveries = receivers(service, wanted).map(async (webhook) => {
		const delivery = {
			url: webhook.url,
			body,
			signature: signature(service, wanted, webhook, body),
		};
		return await service.deliveries.send(webhook.id, wanted.event, delivery);
	});
	return await Promise.all(deliveries);
}

function receivers(service: Service, { webhookId, event }: Emit): Webhook[] {
	const { webhooks } = service.state;
	if (webhookId === undefined) return webhooks.subscribers(event);
	const webhook = webhooks.list().find((one) => one.id === webhookId);
	if (!webhook) throw new ServiceError(404, `No webhook ${webhookId}`);
	return [webhook];
}

function payload({ state, assumptions }: Service, { event, data }: Emit) {
	const isKnown = webhookEvents.includes(event as WebhookEvent);
	const message = {
		providerMessageId: state.messages.newProviderId(),
		to: writeChatNumber(state.ids.digits(12), assumptions),
		from: writeChatNumber(state.chatNumbers.find(undefined)?.phoneNumber ?? '', assumptions),
		templateName: 'order_update',
		status: isKnown ? event.replace('message.', '') : 'unknown',
	};
	const timestamp = writeTime(Date.now());
	return { event, timestamp, data: { ...message, ...data } };
}

function signature(
	{ state }: Service,
	{ signing }: Emit,
	webhook: Webhook,
	body: string,
): string | null {
	if (signing === 'unsigned') return null;
	const secret = signing === 'forged' ? state.webhooks.newSecret() : webhook.secret;
	return sign(body, secret);
}
