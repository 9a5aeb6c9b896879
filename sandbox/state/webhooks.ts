import type { WebhookEvent } from '../documented';
import type { SeededRandom } from '../random';

/** Webhook secrets start with it, so that one that turns up somewhere is known as such. */
const SECRET_PREFIX = 'whsec_';

/** A webhook registration (docs/service.md, section 2.5). */
export interface Webhook {
	id: string;
	url: string;
	secret: string;
	events: WebhookEvent[];
	isActive: boolean;
	createdAt: string;
}

/** The registrations in the order of creation. */
export class Webhooks {
	private readonly byId = new Map<string, Webhook>();

	constructor(private readonly random: SeededRandom) {}

	add(url: string, events: WebhookEvent[], createdAt: number): Webhook {
		const webhook: Webhook = {
			id: this.random.uuid(),
			url,
			secret: this.newSecret(),
			events,
			isActive: true,
			createdAt: new Date(createdAt).toISOString(),
		};
		this.byId.set(webhook.id, webhook);
		return webhook;
	}

	newSecret(): string {
		return `${SECRET_PREFIX}${this.random.hex(32)}`;
	}

	find(id: string): Webhook | undefined {
		return this.byId.get(id);
	}

	delete(id: string): boolean {
		return this.byId.delete(id);
	}

	list(): Webhook[] {
		return [...this.byId.values()];
	}

	/** Active registrations that asked for `event`. */
	subscribers(event: string): Webhook[] {
		return this.list().filter(
			(one) => one.isActive && (one.events as readonly string[]).includes(event),
		);
	}
}
