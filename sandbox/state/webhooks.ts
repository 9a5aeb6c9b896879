import { remove } from 'lodash';
import type { WebhookEvent } from '../documented';
import type { SeededRandom } from '../random';
import { writeTime } from './records';

/** Webhook secrets start with it, so that one that turns up somewhere is known as such. */
const secretPrefix = 'whsec_';

/** A webhook registration; `createdAt` is milliseconds since 1970. */
export interface Webhook {
	id: string;
	url: string;
	secret: string;
	events: WebhookEvent[];
	isActive: boolean;
	createdAt: number;
}

/** A registration as its creation shows it (docs/service.md, section 2.5). */
export type WebhookRecord = Omit<Webhook, 'createdAt'> & { createdAt: string };

export const webhookRecord = (webhook: Webhook): WebhookRecord => ({
	...webhook,
	createdAt: writeTime(webhook.createdAt),
});

/** The registrations in the order of creation. */
export class Webhooks {
	readonly all: Webhook[] = [];

	constructor(private readonly random: SeededRandom) {}

	add(url: string, events: WebhookEvent[], createdAt: number): Webhook {
		const id = this.random.uuid();
		const webhook = { id, url, secret: this.newSecret(), events, isActive: true, createdAt };
		this.all.push(webhook);
		return webhook;
	}

	newSecret(): string {
		return `${secretPrefix}${this.random.hex(32)}`;
	}

	/** Whether there was one. */
	delete(id: string): boolean {
		return remove(this.all, { id }).length > 0;
	}

	/** Those that asked for an event. */
	subscribers(event: string): Webhook[] {
		return this.all.filter(({ events }) => events.includes(event as WebhookEvent));
	}
}
