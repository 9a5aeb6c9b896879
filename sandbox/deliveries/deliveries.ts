import { setMaxListeners } from 'node:events';
import type { Assumptions } from '../assumptions';
import type { DeliveryEntry, Journal } from '../journal';
import type { Scheduler } from '../scheduler';
import type { Message } from '../state/messages';
import type { Webhook } from '../state/webhooks';
import type { Traffic } from '../traffic';
import { eventOf, payloadOf, sign } from './event';
import { post, type Delivery } from './post';

/** Webhook deliveries under way at once. */
const DELIVERIES_AT_ONCE = 64;

interface Waiting {
	webhook: Webhook;
	event: string;
	body: string;
	attempt: number;
}

export interface DeliveryContext {
	now: () => number;
	assumptions: () => Assumptions;
	subscribers: (event: string) => Webhook[];
	scheduler: Scheduler;
	journal: Journal;
	traffic: Traffic;
}

/** Sends events to webhooks, a bounded number at once, in the order they came up. */
export class Deliveries {
	private waiting: Waiting[] = [];

	private next = 0;

	private underWay = 0;

	private stop = newStop();

	constructor(private readonly context: DeliveryContext) {}

	/** Deliveries that wait or are under way; those waiting for a further try are in the scheduler. */
	get pending(): number {
		return this.waiting.length - this.next + this.underWay;
	}

	/** Emits the present status of a message to every subscriber. */
	announce(message: Message): void {
		const event = eventOf(message.status);
		const webhooks = this.context.subscribers(event);
		if (webhooks.length === 0) return;
		const body = JSON.stringify(payloadOf(message));
		for (const webhook of webhooks) this.enqueue({ webhook, event, body, attempt: 1 });
	}

	/** Makes one delivery at once, past the queue, and gives its journal entry. */
	async send(
		target: { webhookId: string; event: string },
		delivery: Omit<Delivery, 'timeoutMs' | 'signal'>,
	): Promise<DeliveryEntry> {
		const { journal, traffic, now, assumptions } = this.context;
		const { signal } = this.stop;
		const at = now();
		this.underWay += 1;
		const response = await post({
			...delivery,
			timeoutMs: assumptions().deliveryTimeoutMs,
			signal,
		});
		const entry = {
			at,
			...target,
			url: delivery.url,
			body: delivery.body.toString(),
			signature: delivery.signature,
			...response,
		};
		// What a reset aborted belongs to the time before it.
		if (signal.aborted) return { kind: 'delivery', seq: 0, ...entry };
		this.underWay -= 1;
		traffic.delivered(`${target.event} ${response.status ?? 'failed'}`);
		return journal.delivery(entry);
	}

	/** Drops what waits and aborts what is under way. */
	clear(): void {
		this.stop.abort();
		this.stop = newStop();
		this.waiting = [];
		this.next = 0;
		this.underWay = 0;
	}

	private enqueue(delivery: Waiting): void {
		this.waiting.push(delivery);
		this.work();
	}

	private work(): void {
		while (this.underWay < DELIVERIES_AT_ONCE) {
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
		const { webhook, event, body, attempt } = delivery;
		const { signature, deliveryAttempts, deliveryBackoffMs } = this.context.assumptions();
		const { signal } = this.stop;
		const { status } = await this.send(
			{ webhookId: webhook.id, event },
			{ url: webhook.url, body, signature: sign(body, webhook.secret, signature) },
		);
		if (signal.aborted) return;
		const accepted = status !== null && status >= 200 && status < 300;
		if (!accepted && attempt < deliveryAttempts) {
			this.context.scheduler.after(deliveryBackoffMs * 2 ** (attempt - 1), () =>
				this.enqueue({ ...delivery, attempt: attempt + 1 }),
			);
		}
		this.work();
	}
}

/** Every delivery under way listens to it, more than Node takes for usual. */
function newStop(): AbortController {
	const stop = new AbortController();
	setMaxListeners(0, stop.signal);
	return stop;
}
