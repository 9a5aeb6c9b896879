import { z } from 'zod';
import { DEFAULT_WEBHOOK_EVENTS, WEBHOOK_EVENTS } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import { isWebhookUrl, text, validate } from '../http/validate';
import type { Webhook } from '../state/webhooks';

const path = '/chat/webhooks';
const scope = 'chat:send';

const body = z.object({
	url: text.pipe(z.string().refine(isWebhookUrl, 'must be a valid HTTPS URL')),
	events: z
		.array(z.enum(WEBHOOK_EVENTS))
		.min(1, 'must not be empty')
		.default([...DEFAULT_WEBHOOK_EVENTS]),
});

/** POST /chat/webhooks (docs/service.md, section 4.10): the only response with the secret. */
export const createWebhook: Endpoint = {
	method: 'POST',
	path,
	scope,
	handle: (context) => {
		const { state, assumptions, clock } = context.service;
		const { url, events } = validate(body, context.json());
		const taken = state.webhooks.list().some((one) => one.url === url);
		if (taken && assumptions.duplicateWebhookUrl === 'reject') {
			throw new ServiceError(400, 'A webhook with this url is already registered');
		}
		const webhook = state.webhooks.add(url, [...new Set(events)], clock.now());
		return { status: 201, body: { webhook } };
	},
};

function withoutSecret({ id, url, events, isActive, createdAt }: Webhook): Omit<Webhook, 'secret'> {
	return { id, url, events, isActive, createdAt };
}

/** GET /chat/webhooks (docs/service.md, section 4.11). */
export const listWebhooks: Endpoint = {
	method: 'GET',
	path,
	scope,
	handle: ({ service }) => {
		const webhooks = service.state.webhooks.list().map(withoutSecret);
		const { webhookList } = service.assumptions;
		if (webhookList === 'array') return ok(webhooks);
		return ok(webhookList === 'data' ? { success: true, data: webhooks } : { webhooks });
	},
};

/** DELETE /chat/webhooks?id= (docs/service.md, section 4.12). */
export const deleteWebhook: Endpoint = {
	method: 'DELETE',
	path,
	scope,
	handle: ({ service, query }) => {
		const { id } = query;
		if (typeof id !== 'string' || id === '')
			throw new ServiceError(400, "Query parameter 'id' is required");
		if (!service.state.webhooks.delete(id)) throw new ServiceError(404, 'Webhook not found');
		if (service.assumptions.webhookDelete === 'empty') return ok();
		return ok({ success: true, message: 'Webhook deleted' });
	},
};
