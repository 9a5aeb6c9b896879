import { z } from 'zod';
import { TEXTS } from '../choices';
import { DEFAULT_WEBHOOK_EVENTS, WEBHOOK_EVENTS } from '../documented';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/serviceError';
import { isWebhookUrl } from '../http/urls';
import type { Webhook } from '../state/webhooks';
import { text, validate } from './validate';

const path = '/chat/webhooks';
const scope = always('chat:send');

const body = z.object({
	url: text.pipe(z.string().refine(isWebhookUrl, TEXTS.webhookUrl)),
	events: z
		.array(z.enum(WEBHOOK_EVENTS))
		.min(1, 'must not be empty')
		.default([...DEFAULT_WEBHOOK_EVENTS]),
});

/** POST /chat/webhooks (docs/service.md, section 4.10): the only answer that tells the secret. */
export const createWebhook: Endpoint = {
	method: 'POST',
	path,
	scope,
	handle: (context) => {
		const { state, variants, clock } = context.world;
		const { url, events } = validate(body, context.json());
		const taken = state.webhooks.list().some((one) => one.url === url);
		if (taken && variants.duplicateWebhookUrl === 'reject') {
			throw new ServiceError(400, TEXTS.webhookDuplicate);
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
	handle: ({ world }) => {
		const webhooks = world.state.webhooks.list().map(withoutSecret);
		const { webhookList } = world.variants;
		if (webhookList === 'array') return ok(webhooks);
		return ok(webhookList === 'data' ? { success: true, data: webhooks } : { webhooks });
	},
};

/** DELETE /chat/webhooks?id= (docs/service.md, section 4.12). */
export const deleteWebhook: Endpoint = {
	method: 'DELETE',
	path,
	scope,
	handle: ({ world, query }) => {
		const { id } = query;
		if (typeof id !== 'string' || id === '') throw new ServiceError(400, TEXTS.webhookId);
		if (!world.state.webhooks.delete(id)) throw new ServiceError(404, TEXTS.webhookNotFound);
		if (world.variants.webhookDelete === 'empty') return ok();
		return ok({ success: true, message: TEXTS.webhookDeleted });
	},
};
