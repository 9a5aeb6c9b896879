import type { WebhookEvent } from '../documented';
import type { SeededRandom } from '../random';
import { now } from './records';

/** A webhook registration as its creation shows it (docs/service.md, section 2.5). */
export interface Webhook {
	id: string;
	url: string;
	secret: string;
	events: WebhookEvent[];
	isActive: boolean;
	createdAt: string;
}

export const newWebhook = (random: SeededRandom, url: string, events: WebhookEvent[]): Webhook => ({
	id: random.uuid(),
	url,
	secret: newSecret(random),
	events,
	isActive: true,
	createdAt: now(),
});

export const newSecret = (random: SeededRandom): string => `whsec_${random.hex(32)}`;
