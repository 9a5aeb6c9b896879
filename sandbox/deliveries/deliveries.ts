import { setMaxListeners } from 'node:events';
import axios, { AxiosError } from 'axios';
import { signatureHeader } from '../documented';
import type { DeliveryEntry } from '../journal';
import type { Service } from '../service';
import type { Message } from '../state/messages';
import { withFurtherFields } from '../state/records';
import type { Webhook } from '../state/webhooks';
import { eventOf, payloadOf, sign } from './event';

/** Milliseconds that a receiver has to respond. */
const deliveryTimeoutMs = 10_000;

/** Webhook deliveries under way at once. */
const deliveriesAtOnce = 64;

/** Bytes of a receiver's response that are read. */
const responseLimit = 1024 * 1024;

interface Waiting {
	webhook: Webhook;
	event: string;
	body: string;
}

/** Sends events to webhooks, a bounded number at once, in the order they came up. */
export class Deliveries {
	private waiting: Waiting[] = [];

	private next = 0;

	private underWay = 0;

	private stop = newStop();

	constructor(private readonly service: Service) {}

	/** Deliveries that wait or are under way. */
	get pending(): number {
		return this.waiting.length - this.next + this.underWay;
	}

	/** Emits the present status of a message to every subscriber. */
	announce(message: Message): void {
		const { assumptions, state } = this.service;
		const event = eventOf(message.status);
		const webhooks = state.webhooks.subscribers(event);
		if (webhooks.length > 0) this.emit(webhooks, event, payloadOf(message, assumptions));
	}

	/** Makes one delivery at once, past the queue, and gives its journal entry. */
	async send(
		target: { webhookId: string; event: string },
		delivery: Omit<Delivery, 'signal'>,
	): Promise<DeliveryEntry> {
		const { journal, traffic } = this.service;
		const { signal } = this.stop;
		const { url, body } = delivery;
		const at = Date.now();
		this.underWay += 1;
		const response = await post({ ...delivery, signal });
		const entry = { kind: 'delivery', at, ...target, url, body, ...response } as const;
		// What a reset aborted belongs to the time before it.
		if (signal.aborted) return entry;
		this.underWay -= 1;
		traffic.delivered(`${target.event} ${response.status ?? 'failed'}`);
		journal.delivery(entry);
		return entry;
	}

	/** Drops what waits and aborts what is under way. */
	clear(): void {
		this.stop.abort();
		this.stop = newStop();
		this.waiting = [];
		this.next = 0;
		this.underWay = 0;
	}

	private emit(webhooks: Webhook[], event: string, payload: object): void {
		const { assumptions } = this.service;
		const body = JSON.stringify(
			assumptions.furtherFields === 'some' ? withFurtherFields(payload) : payload,
		);
		for (const webhook of webhooks) this.enqueue({ webhook, event, body });
	}

	private enqueue(delivery: Waiting): void {
		this.waiting.push(delivery);
		this.work();
	}

	private work(): void {
		while (this.underWay < deliveriesAtOnce) {
			const delivery = this.waiting[this.next];
			if (!delivery) break;
			this.next += 1;
			void this.deliver(delivery);
		}
		// Shifting each element off a long array would cost its whole length every time.
		if (this.next === this.waiting.length || this.next > 10_000) {
			this.waiting = this.waiting.slice(this.next);
			this.next = 0;
		}
	}

	private async deliver(delivery: Waiting): Promise<void> {
		const { webhook, event, body } = delivery;
		const { signal } = this.stop;
		await this.send(
			{ webhookId: webhook.id, event },
			{ url: webhook.url, body, signature: sign(body, webhook.secret) },
		);
		if (signal.aborted) return;
		this.work();
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
	signal: AbortSignal;
}

interface DeliveryResponse {
	status: number | null;
	error: string | null;
}

/** POSTs a raw body to a receiver and gives its response; never throws. */
async function post(delivery: Delivery): Promise<DeliveryResponse> {
	const { url, body, signature, signal } = delivery;
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
