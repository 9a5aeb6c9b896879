import { createHmac } from 'node:crypto';
import axios, { type AxiosError } from 'axios';
import { filter } from 'lodash';
import pLimit from 'p-limit';
import { z } from 'zod';
import {
	dashboardKinds,
	signatureHeader,
	type DashboardKind,
	type MessageStatus,
} from './documented';
import { ServiceError } from './http/endpoint';
import { schema } from './http/validate';
import type { DeliveryEntry } from './journal';
import type { Service } from './service';
import { senderOf } from './state/account';
import { newProviderId, type Message } from './state/messages';
import { now, writeChatNumber } from './state/records';
import { withToken, type DashboardWebhook } from './state/dashboard';
import { newSecret, type Webhook } from './state/webhooks';

/** Milliseconds that a receiver has to respond. */
const deliveryTimeoutMs = 10_000;

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

/** The kind of event that announces a status. */
const eventOf = (status: MessageStatus): string => `message.${status.toLowerCase()}`;

/** The signature of a raw body: HMAC-SHA256 with the webhook's secret (docs/service.md, section 6.2). */
const sign = (body: string, secret: string): string =>
	createHmac('sha256', secret).update(body).digest('hex');

/** An event for a webhook. */
interface Delivery extends Pick<DeliveryEntry, 'webhookId' | 'event' | 'url' | 'body'> {
	/** Headers that sign or identify it. */
	headers: Record<string, string>;
}

/** Without a signature, the header is left out. */
const signedBy = (signature: string | null): Delivery['headers'] =>
	signature === null ? {} : { [signatureHeader]: signature };

/** Sends events to webhooks, a bounded number at once, in order. */
export class Deliveries {
	private limit = pLimit(deliveriesAtOnce);

	private stop = new AbortController();

	constructor(private readonly service: Service) {}

	/** Announced deliveries that wait or are in flight. */
	get pending(): number {
		return this.limit.pendingCount + this.limit.activeCount;
	}

	/** Sends the present status of a message to every subscriber. */
	announce(message: Message): void {
		const event = eventOf(message.status);
		const webhooks = this.subscribers(event);
		const status = message.status.toLowerCase();
		const { providerMessageId: messageId, updatedAt: time } = message;
		this.announceOnDashboard('statusUpdate', { messageId, status, time });
		if (webhooks.length === 0) return;
		const body = this.bodyOf(event, message.updatedAt, { ...message, status });
		for (const { id: webhookId, url, secret } of webhooks) {
			const headers = signedBy(sign(body, secret));
			const delivery = { webhookId, event, url, body, headers };
			void this.limit(async () => await this.send(delivery));
		}
	}

	/** Sends an event at once, past the queue, and returns the journal entries. */
	async emit(wanted: z.output<typeof emitSchema>): Promise<DeliveryEntry[]> {
		const { event, signing, webhookId, data } = wanted;
		const { state } = this.service;
		const receivers = webhookId
			? filter(state.webhooks, { id: webhookId })
			: this.subscribers(event);
		if (webhookId && receivers.length === 0) throw new ServiceError(404, `No webhook ${webhookId}`);
		const message = {
			providerMessageId: newProviderId(state.random),
			status: event.replace('message.', ''),
			to: state.random.digits(12),
			from: senderOf(state),
			templateName: 'order_update',
		};
		const body = this.bodyOf(event, now(), message, data);
		const sent = receivers.map(async ({ id, url, secret }) => {
			const used = signing === 'forged' ? newSecret(state.random) : secret;
			const signature = signing === 'unsigned' ? null : sign(body, used);
			const headers = signedBy(signature);
			return await this.send({ webhookId: id, event, url, body, headers });
		});
		return await Promise.all(sent);
	}

	/** Sends an event to the dashboard's webhooks for its kind; the fields are an assumption (README.md). */
	announceOnDashboard(event: DashboardKind, content: object): void {
		const { state, assumptions } = this.service;
		for (const webhook of state.dashboardWebhooks) {
			if (!webhook.events.includes(event)) continue;
			const parts = withToken(webhook, { event, ...content }, assumptions);
			const delivery = { webhookId: 'dashboard', event, ...parts };
			void this.limit(async () => await this.send(delivery));
		}
	}

	/** Creates a webhook on the dashboard, which may check its address. */
	async addToDashboard(wanted: z.output<typeof dashboardSchema>): Promise<DashboardWebhook> {
		const { state, assumptions } = this.service;
		if (assumptions.dashboardCheck === 'get') {
			const challenge = state.random.digits(12);
			const response = await axios.get<unknown>(wanted.url, {
				params: { token: wanted.token, challenge },
				timeout: deliveryTimeoutMs,
				proxy: false,
				validateStatus: () => true,
			});
			if (response.status !== 200 || String(response.data) !== challenge) {
				throw new ServiceError(400, `${wanted.url} does not confirm the check of its address`);
			}
		}
		state.dashboardWebhooks.push(wanted);
		return wanted;
	}

	/** Drops what waits and aborts what is in flight. */
	clear(): void {
		this.stop.abort();
		this.stop = new AbortController();
		this.limit.clearQueue();
		this.limit = pLimit(deliveriesAtOnce);
	}

	private subscribers(event: string): Webhook[] {
		return this.service.state.webhooks.filter(({ events }) => events.some((one) => one === event));
	}

	/** An event as it is sent (docs/service.md, section 6.1). */
	private bodyOf(
		event: string,
		timestamp: string,
		message: Record<'providerMessageId' | 'status' | 'to' | 'from' | 'templateName', string>,
		more: object = {},
	): string {
		const { assumptions } = this.service;
		const { providerMessageId, status, to, from, templateName } = message;
		const numbers = {
			to: writeChatNumber(to, assumptions),
			from: writeChatNumber(from, assumptions),
		};
		const data = { providerMessageId, status, ...numbers, templateName, ...more };
		return JSON.stringify({ event, timestamp, data });
	}

	/** Makes one delivery and returns its journal entry; never throws. */
	private async send({ headers, ...delivery }: Delivery): Promise<DeliveryEntry> {
		const { signal } = this.stop;
		const at = Date.now();
		const response = await axios
			.post(delivery.url, delivery.body, {
				headers: {
					'content-type': 'application/json',
					'user-agent': 'messaging-service-sandbox',
					...headers,
				},
				timeout: deliveryTimeoutMs,
				// One of its own: Node warns of more than ten that listen to the same.
				signal: AbortSignal.any([signal]),
				maxRedirects: 0,
				proxy: false,
				validateStatus: () => true,
			})
			.then(
				({ status }) => ({ status, error: null }),
				({ code, message }: AxiosError) => ({ status: null, error: code ?? message }),
			);
		const entry = { kind: 'delivery', at, ...delivery, ...response } as const;
		// What a reset has aborted belongs to the time before it.
		if (!signal.aborted) this.service.journal.delivery(entry);
		return entry;
	}
}
