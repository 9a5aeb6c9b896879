import { setMaxListeners } from 'node:events';
import axios, { AxiosError } from 'axios';
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

/** Bytes of a receiver's response that are read. */
const responseLimit = 1024 * 1024;

/** Sends events to webhooks, a bounded number at once, in the order they came up. */
export class Deliveries {
	/** Deliveries that wait or are under way. */
	pending = 0;

	private limit = pLimit(deliveriesAtOnce);

	private stop = newStop();

	constructor(private readonly service: Service) {}

	/** Emits the present status of a message to every subscriber. */
	announce(message: Message): void {
		const { assumptions, state } = this.service;
		const event = eventOf(message.status);
		const webhooks = state.webhooks.subscribers(event);
		if (webhooks.length === 0) return;
		const body = JSON.stringify(payloadOf(message, assumptions));
		for (const { id, url, secret } of webhooks) {
			const delivery = { url, body, signature: sign(body, secret) };
			void this.note(async () => await this.limit(() => this.deliver(id, event, delivery)));
		}
	}

	/** Makes one delivery at once, past the queue, and gives its journal entry. */
	async send(webhookId: string, event: string, delivery: Delivery): Promise<DeliveryEntry> {
		return await this.note(async () => await this.deliver(webhookId, event, delivery));
	}

	/** Drops what waits and aborts what is under way. */
	clear(): void {
		this.stop.abort();
		this.stop = newStop();
		this.limit.clearQueue();
		this.limit = pLimit(deliveriesAtOnce);
		this.pending = 0;
	}

	/** Counts a delivery as pending; what a reset has aborted belongs to the time before it. */
	private async note<Result>(run: () => Promise<Result>): Promise<Result> {
		const { signal } = this.stop;
		this.pending += 1;
		const result = await run();
		if (!signal.aborted) this.pending -= 1;
		return result;
	}

	private async deliver(
		webhookId: string,
		event: string,
		delivery: Delivery,
	): Promise<DeliveryEntry> {
		const { signal } = this.stop;
		const at = Date.now();
		const response = await post(delivery, signal);
		const { url, body } = delivery;
		const entry = { kind: 'delivery', at, webhookId, event, url, body, ...response } as const;
		if (!signal.aborted) this.service.journal.delivery(entry);
		return entry;
	}
}

/** Every delivery under way listens to it, more than Node takes for usual. */
function newStop(): AbortController {
	const stop = new AbortController();
	setMaxListeners(0, stop.signal);
	return stop;
}

interface Delivery {
	url: string;
	body: string;
	/** Null leaves the header out. */
	signature: string | null;
}

/** POSTs a raw body to a receiver and gives its response; never throws. */
async function post(
	{ url, body, signature }: Delivery,
	signal: AbortSignal,
): Promise<Pick<DeliveryEntry, 'status' | 'error'>> {
	try {
		const { status } = await axios.post<string>(url, body, {
			headers: {
				'content-type': 'application/json',
				'user-agent': 'messaging-service-sandbox',
				...(signature === null ? {} : { [signatureHeader]: signature }),
			},
			timeout: deliveryTimeoutMs,
			signal,
			maxRedirects: 0,
			maxContentLength: responseLimit,
			proxy: false,
			responseType: 'text',
			transformRequest: (data: unknown) => data,
			transformResponse: (data: unknown) => data,
			validateStatus: () => true,
		});
		return { status, error: null };
	} catch (error) {
		const text = error instanceof AxiosError ? (error.code ?? error.message) : String(error);
		return { status: null, error: text };
	}
}
