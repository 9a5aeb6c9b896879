import { createHmac } from 'node:crypto';
import type { Assumptions } from '../assumptions';
import type { DashboardKind, WebhookEvent } from '../documented';
import type { SeededRandom } from '../random';

/** A webhook registration as its creation shows it (docs/service.md, section 2.5). */
export interface Webhook {
	id: string;
	url: string;
	secret: string;
	events: WebhookEvent[];
	isActive: boolean;
	createdAt: string;
}

export const newWebhook = (
	random: SeededRandom,
	url: string,
	events: WebhookEvent[],
	createdAt: string,
): Webhook => ({
	id: random.uuid(),
	url,
	secret: newSecret(random),
	events,
	isActive: true,
	createdAt,
});

export const newSecret = (random: SeededRandom): string => `whsec_${random.hex(32)}`;

/** A webhook of the dashboard (docs/service.md, sections 5.8 and 6.3). */
export interface DashboardWebhook {
	url: string;
	token: string;
	events: DashboardKind[];
}

/** What a delivery of it consists of, with the token where the assumption has it. */
export function withToken(
	{ url, token }: DashboardWebhook,
	payload: object,
	{ dashboardToken: place }: Assumptions,
): { url: string; body: string; headers: Record<string, string> } {
	const target = new URL(url);
	if (place === 'query') target.searchParams.set('token', token);
	const body = JSON.stringify(place === 'body' ? { ...payload, token } : payload);
	const hmac = () => createHmac('sha256', token).update(body).digest('hex');
	const headers = {
		...(place === 'header' && { 'x-verification-token': token }),
		...(place === 'hmac' && { 'x-hub-signature-256': `sha256=${hmac()}` }),
	};
	return { url: target.href, body, headers };
}
