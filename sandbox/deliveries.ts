import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosError } from 'axios';
import { filter, random as drawn } from 'lodash';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Assumptions } from './assumptions';
import { signatureFor, writeChatNumber, written } from './dialect';
import { dashboardKinds, signatureHeader, type DashboardKind } from './documented';
import { ServiceError } from './http/error';
import { schema } from './http/validate';
import type { DeliveryEntry, Journal } from './journal';
import { senderOf } from './state/account';
import { newProviderId, type Message } from './state/messages';
import type { State } from './state/state';
import { newSecret, withToken, type DashboardWebhook, type Webhook } from './state/webhooks';

/** Milliseconds that a receiver has to respond. */
const deliveryTimeoutMs = 10_000;

/** Milliseconds by which shuffled deliveries are late at most. */
const shuffleMs = 50;

/** Webhook deliveries in flight at once. */
const deliveriesAtOnce = 64;

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

/** A webhook to create on the dashboard. */
export const dashboardSchema = schema({
	url: z.string().url(),
	token: z.string(),
	events: z.array(z.enum(dashboardKinds)).default([...dashboardKinds]),
});

/** A message that somebody sends to the account. */
export const incomingSchema = schema({
	content: z.string().default('Hello'),
	/** Digits of the number. */
	sender: z.string().default('447700900210'),
});

/** What deliveries need of the service. */
interface Sender {
	journal: Journal;
	state: State;
	assumptions: Assumptions;
	now(): string;
}

/** An event for a webhook. */
interface Delivery extends Pick<DeliveryEntry, 'webhookId' | 'event' | 'url' | 'body'> {
	/** Headers that sign or identify it. */
	headers: Record<string, string>;
}

const callOptions = {
	timeout: deliveryTimeoutMs,
	proxy: false,
	validateStatus: () => true,
} as const;

/** Sends events to webhooks, a bounded number at once, in order. */
export class Deliveries {
	private limit = pLimit(deliveriesAtOnce);

	private stop = new AbortController();

	constructor(private readonly service: Sender) {}

	/** Announced deliveries that wait or are in flight. */
	get pending(): number {
		return this.limit.pendingCount + this.limit.activeCount;
	}

	/** Resolves when no announced delivery waits or is in flight. */
	async sent(): Promise<void> {
		while (this.pending > 0) await sleep(1);
	}

	/** Sends the present status of a message to every subscriber. */
	announce(message: Message): void {
		const status = message.status.toLowerCase();
		const event = `message.${status}`;
		const { providerMessageId: messageId, updatedAt: time } = message;
		this.announceOnDashboard('statusUpdate', { messageId, status, time });
		const body = this.bodyOf(event, time, { ...message, status });
		for (const { id: webhookId, url, secret } of this.subscribers(event)) {
			const delivery = { webhookId, event, url, body, headers: this.signed(body, secret) };
			this.queue(delivery);
			if (this.service.assumptions.eventOrder === 'repeated') this.queue(delivery);
		}
	}

	/** Sends an event at once, past the queue, and returns the journal entries. */
	async emit({ event, signing, webhookId, data }: z.output<typeof emitSchema>) {
		const { random, webhooks, ...rest } = this.service.state;
		const receivers = webhookId ? filter(webhooks, { id: webhookId }) : this.subscribers(event);
		if (webhookId && receivers.length === 0) throw new ServiceError(404, `No webhook ${webhookId}`);
		const message = {
			providerMessageId: newProviderId(random),
			status: event.replace('message.', ''),
			to: random.digits(12),
			from: senderOf(rest),
			templateName: 'order_update',
		};
		const body = this.bodyOf(event, this.service.now(), message, data);
		const sent = receivers.map(async ({ id, url, secret }) => {
			const used = signing === 'forged' ? newSecret(random) : secret;
			const headers = signing === 'unsigned' ? {} : this.signed(body, used);
			return await this.send({ webhookId: id, event, url, body, headers });
		});
		return await Promise.all(sent);
	}

	/** Sends an event to the dashboard's webhooks for its kind; the fields are an assumption (README.md). */
	announceOnDashboard(event: DashboardKind, content: object): void {
		const { state, assumptions } = this.service;
		for (const webhook of state.dashboardWebhooks.filter(({ events }) => events.includes(event))) {
			const payload = written({ event, ...content }, assumptions) as object;
			const parts = withToken(webhook, payload, assumptions);
			this.queue({ webhookId: 'dashboard', event, ...parts });
		}
	}

	/** Creates a webhook on the dashboard, which may check its address. */
	async addToDashboard(webhook: DashboardWebhook): Promise<DashboardWebhook> {
		const { state, assumptions } = this.service;
		const { url, token } = webhook;
		if (assumptions.dashboardCheck === 'get') {
			const params = { token, challenge: state.random.digits(12) };
			const { status, data } = await axios.get<unknown>(url, { params, ...callOptions });
			if (status !== 200 || String(data) !== params.challenge)
				throw new ServiceError(400, `${url} does not confirm the check of its address`);
		}
		state.dashboardWebhooks.push(webhook);
		return webhook;
	}

	/** Drops what waits and aborts what is in flight. */
	clear(): void {
		this.stop.abort();
		this.stop = new AbortController();
		this.limit.clearQueue();
		this.limit = pLimit(deliveriesAtOnce);
	}

	private subscribers(event: string): Webhook[] {
		return this.service.state.webhooks.filter(
			({ events, isActive }) => isActive && events.some((one) => one === event),
		);
	}

	/** An event as it is sent (docs/service.md, section 6.1). */
	private bodyOf(
		event: string,
		timestamp: string,
		message: Record<'from' | 'providerMessageId' | 'status' | 'templateName' | 'to', string>,
		more: object = {},
	): string {
		const { assumptions } = this.service;
		const { eventFields } = assumptions;
		const { providerMessageId, status, templateName } = message;
		const [to, from] = [message.to, message.from].map((one) => writeChatNumber(one, assumptions));
		const data = {
			...{ providerMessageId, status, to },
			...(eventFields !== 'minimum' && { from }),
			...((eventFields !== 'minimum' || templateName !== '') && { templateName }),
			...(eventFields === 'reason' && status === 'failed' && { reason: 'Unreachable' }),
			...more,
		};
		return JSON.stringify(written({ event, timestamp, data }, assumptions));
	}

	private signed(body: string, secret: string): Delivery['headers'] {
		return { [signatureHeader]: signatureFor(body, secret, this.service.assumptions) };
	}

	private queue(delivery: Delivery): void {
		const isShuffled = this.service.assumptions.eventOrder === 'shuffled';
		void this.limit(async () => {
			if (isShuffled) await sleep(drawn(shuffleMs));
			await this.send(delivery);
		});
	}

	/** Makes one delivery and returns its journal entry; never throws. */
	private async send({ headers: own, ...delivery }: Delivery): Promise<DeliveryEntry> {
		const { signal } = this.stop;
		const at = Date.now();
		const type = { 'content-type': 'application/json', 'user-agent': 'messaging-service-sandbox' };
		const options = { ...callOptions, headers: { ...type, ...own }, maxRedirects: 0 };
		// One signal each: Node warns of more than ten that listen to the same.
		const call = { ...options, signal: AbortSignal.any([signal]) };
		const response = await axios.post(delivery.url, delivery.body, call).then(
			({ status }) => ({ status, error: null }),
			({ code, message }: AxiosError) => ({ status: null, error: code ?? message }),
		);
		const entry = { kind: 'delivery', at, ...delivery, ...response } as const;
		// What a reset has aborted belongs to the time before it.
		if (!signal.aborted) this.service.journal.delivery(entry);
		return entry;
	}
}
