import axios, { type AxiosError } from 'axios';
import pLimit from 'p-limit';
import { signatureHeader } from '../documented';
import type { DeliveryEntry } from '../journal';
import type { Service } from '../service';
import type { Message } from '../state/messages';
import { eventOf, payloadOf, sign } from './event';

/** Milliseconds that a receiver has to respond. */
const deliveryTimeoutMs = 10_000;

/** Webhook deliveries under way at once. */
const deliveriesAtOnce = 64;

/** An event for a webhook. */
interface Delivery extends Pick<DeliveryEntry, 'webhookId' | 'event' | 'url' | 'body'> {
	/** Null leaves the header out. */
	signature: string | null;
}

/** Sends events to webhooks, a bounded number at once, in the order they came up. */
export class Deliveries {
	private limit = pLimit(deliveriesAtOnce);

	private stop = new AbortController();

	constructor(private readonly service: Service) {}

	/** Announced deliveries that wait or are under way. */
	get pending(): number {
		return this.limit.pendingCount + this.limit.activeCount;
	}

	/** Emits the present status of a message to every subscriber. */
	announce(message: Message): void {
		const { assumptions, state } = this.service;
		const event = eventOf(message.status);
		const webhooks = state.webhooks.subscribers(event);
		if (webhooks.length === 0) return;
		const body = JSON.stringify(payloadOf(message, assumptions));
		for (const { id: webhookId, url, secret } of webhooks) {
			const delivery = { webhookId, event, url, body, signature: sign(body, secret) };
			void this.limit(async () => await this.send(delivery));
		}
	}

	/** Makes one delivery at once, past the queue, and gives its journal entry. */
	async send({ signature, ...delivery }: Delivery): Promise<DeliveryEntry> {
		const { signal } = this.stop;
		const at = Date.now();
		const response = await post(delivery, signature, signal);
		const entry = { kind: 'delivery', at, ...delivery, ...response } as const;
		// What a reset has aborted belongs to the time before it.
		if (!signal.aborted) this.service.journal.delivery(entry);
		return entry;
	}

	/** Drops what waits and aborts what is under way. */
	clear(): void {
		this.stop.abort();
		this.stop = new AbortController();
		this.limit.clearQueue();
		this.limit = pLimit(deliveriesAtOnce);
	}
}

/** POSTs a raw body to a receiver and gives its response; never throws. */
async function post(
	{ url, body }: Pick<Delivery, 'url' | 'body'>,
	signature: string | null,
	signal: AbortSignal,
): Promise<Pick<DeliveryEntry, 'status' | 'error'>> {
	const headers = {
		'content-type': 'application/json',
		'user-agent': 'messaging-service-sandbox',
		...(signature === null ? {} : { [signatureHeader]: signature }),
	};
	try {
		const { status } = await axios.post(url, body, {
			headers,
			timeout: deliveryTimeoutMs,
			// One of its own: Node warns of more than ten that listen to the same.
			signal: AbortSignal.any([signal]),
			maxRedirects: 0,
			proxy: false,
			validateStatus: () => true,
		});
		return { status, error: null };
	} catch (error) {
		const { code, message } = error as AxiosError;
		return { status: null, error: code ?? message };
	}
}
