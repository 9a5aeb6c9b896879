import { z } from 'zod';
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
	const { event, signing } = wanted;
	const body = JSON.stringify(payload(service, wanted));
	const deliveries = receivers(service, wanted).map(async ({ id: webhookId, url, secret }) => {
		const used = signing === 'forged' ? service.state.webhooks.newSecret() : secret;
		const signature = signing === 'unsigned' ? null : sign(body, used);
		return await service.deliveries.send({ webhookId, event, url, body, signature });
	});
	return await Promise.all(deliveries);
}

function receivers(service: Service, { webhookId, event }: Emit): Webhook[] {
	const { webhooks } = service.state;
	if (webhookId === undefined) return webhooks.subscribers(event);
	const webhook = webhooks.all.find(({ id }) => id === webhookId);
	if (!webhook) throw new ServiceError(404, `No webhook ${webhookId}`);
	return [webhook];
}

function payload({ state, assumptions }: Service, { event, data }: Emit) {
	const message = {
		providerMessageId: state.messages.newProviderId(),
		to: writeChatNumber(state.ids.digits(12), assumptions),
		from: writeChatNumber(state.chatNumbers.find(undefined)?.phoneNumber ?? '', assumptions),
		templateName: 'order_update',
		status: event.replace('message.', ''),
	};
	const timestamp = writeTime(Date.now());
	return { event, timestamp, data: { ...message, ...data } };
}
