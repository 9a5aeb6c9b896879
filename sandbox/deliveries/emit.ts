import { z } from 'zod';
import { questions } from '../assumptions';
import { webhookEvents, type WebhookEvent } from '../documented';
import { ServiceError } from '../http/endpoint';
import type { DeliveryEntry } from '../journal';
import { writeChatNumber, writeTime } from '../state/records';
import type { Webhook } from '../state/webhooks';
import type { Service } from '../service';
import { sign, type EventPayload } from './event';

/** Requests that one emit may make. */
const maxTimes = 1_000;

/** What to send to webhooks right now, whether or not anything happened. */
export const emitSchema = z
	.object({
		/** Kind of event; any text, so that unknown ones can be sent. */
		event: z.string().default('message.delivered'),
		/** Several kinds about one message, each sent after the response to the one before, in this order. */
		events: z.array(z.string()).min(1).optional(),
		/** Fields of `data` in place of made-up ones; further fields are sent too. */
		data: z.record(z.unknown()).default({}),
		/** ISO 8601; the present by default. */
		timestamp: z.string().optional(),
		/** Raw body in place of an event; an object is written as JSON. */
		body: z.union([z.string(), z.record(z.unknown()), z.array(z.unknown())]).optional(),
		/** Raw body of any bytes. */
		bodyBase64: z.string().optional(),
		/** `forged` signs with a secret that is not the webhook's; `unsigned` leaves the header out. */
		signing: z.enum(['valid', 'forged', 'unsigned']).default('valid'),
		/** The signature header as it is. */
		signature: z.string().optional(),
		/** How the signature is written; the assumption by default. */
		signatureFormat: questions.signature.schema.optional(),
		/** Sends a delivery of the journal again, byte by byte, by its `seq`. */
		replay: z.number().int().positive().optional(),
		/** How often each is sent. */
		times: z.number().int().min(1).max(maxTimes).default(1),
		/** Whether the repetitions are sent at once. */
		concurrently: z.boolean().default(true),
		/** Only this webhook, whatever its events; all subscribers by default. */
		webhookId: z.string().optional(),
		/** Further headers; `content-type` may be replaced. */
		headers: z.record(z.string()).default({}),
	})
	.strict();
export type EmitInput = z.input<typeof emitSchema>;
type Emit = z.output<typeof emitSchema>;

interface Letter {
	webhook: Webhook;
	event: string;
	body: string | Buffer;
	signature: string | null;
}

/** Sends what was asked for and gives the journal entries of all deliveries. */
export async function emit(service: Service, wanted: Emit): Promise<DeliveryEntry[]> {
	const entries: DeliveryEntry[] = [];
	for (const letters of compose(service, wanted)) {
		const copies = letters.flatMap((letter) => Array<Letter>(wanted.times).fill(letter));
		const send = ({ webhook, event, body, signature }: Letter) =>
			service.deliveries.send(
				{ webhookId: webhook.id, event },
				{ url: webhook.url, body, signature, headers: wanted.headers },
			);
		if (wanted.concurrently) {
			entries.push(...(await Promise.all(copies.map(send))));
			continue;
		}
		for (const copy of copies) entries.push(await send(copy));
	}
	return entries;
}

/** The letters of each round; a round starts after the responses to the one before. */
function compose(service: Service, wanted: Emit): Letter[][] {
	if (wanted.replay !== undefined) return [[recorded(service, wanted.replay)]];
	const message = madeUpData(service);
	return (wanted.events ?? [wanted.event]).map((event) => {
		const body = bodyOf(service, wanted, event, message);
		return receivers(service, wanted, event).map((webhook) => ({
			webhook,
			event,
			body,
			signature: signatureOf(service, wanted, webhook, body),
		}));
	});
}

function recorded(service: Service, seq: number): Letter {
	const entry = service.journal.find(seq);
	if (entry?.kind !== 'delivery') throw new ServiceError(404, `No delivery ${seq} in the journal`);
	const { event, body, signature } = entry;
	return { webhook: requireWebhook(service, entry.webhookId), event, body, signature };
}

function receivers(service: Service, { webhookId }: Emit, event: string): Webhook[] {
	if (webhookId !== undefined) return [requireWebhook(service, webhookId)];
	return service.state.environments.flatMap(({ webhooks }) => webhooks.subscribers(event));
}

function requireWebhook(service: Service, id: string): Webhook {
	const all = service.state.environments.flatMap(({ webhooks }) => webhooks.list());
	const webhook = all.find((one) => one.id === id);
	if (!webhook) throw new ServiceError(404, `No webhook ${id}`);
	return webhook;
}

function madeUpData({ state, assumptions }: Service) {
	return {
		providerMessageId: state.production.messages.newProviderId(),
		to: writeChatNumber(state.ids.digits(12), assumptions),
		from: writeChatNumber(state.chatNumbers.find(undefined)?.phoneNumber ?? '', assumptions),
		templateName: 'order_update',
	};
}

function bodyOf(
	service: Service,
	wanted: Emit,
	event: string,
	message: ReturnType<typeof madeUpData>,
): string | Buffer {
	if (wanted.bodyBase64 !== undefined) return Buffer.from(wanted.bodyBase64, 'base64');
	if (wanted.body !== undefined) {
		return typeof wanted.body === 'string' ? wanted.body : JSON.stringify(wanted.body);
	}
	const payload: EventPayload = {
		event,
		timestamp: wanted.timestamp ?? writeTime(service.clock.now(), service.assumptions),
		data: { ...message, status: statusOf(event), ...wanted.data },
	};
	return JSON.stringify(payload);
}

function statusOf(event: string): string {
	return webhookEvents.includes(event as WebhookEvent) ? event.replace('message.', '') : 'unknown';
}

function signatureOf(
	service: Service,
	wanted: Emit,
	webhook: Webhook,
	body: string | Buffer,
): string | null {
	if (wanted.signature !== undefined) return wanted.signature;
	if (wanted.signing === 'unsigned') return null;
	const secret =
		wanted.signing === 'forged' ? service.state.production.webhooks.newSecret() : webhook.secret;
	return sign(body, secret, wanted.signatureFormat ?? service.assumptions.signature);
}
