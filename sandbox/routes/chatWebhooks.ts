import { find, omit, pick, pull, remove, some } from 'lodash';
import { z } from 'zod';
import { defaultWebhookEvents, webhookEvents } from '../documented';
import type { Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/error';
import { isWebhookUrl, list, schema, text } from '../http/validate';
import { newWebhook, type Webhook } from '../state/webhooks';

const path = '/chat/webhooks';
const scope = 'chat:send';

const body = schema({
	url: text.pipe(z.string().refine(isWebhookUrl, 'must be a valid HTTPS URL')),
	events: list(z.enum(webhookEvents)).default(defaultWebhookEvents),
});

/** POST /chat/webhooks (docs/service.md, section 4.10): the only response with the secret. */
export const createWebhook: Endpoint = {
	method: 'POST',
	path,
	scope,
	status: 201,
	handle: (context) => {
		const { url, events } = context.body(body);
		const { random, webhooks } = context.state;
		const { sameUrl } = context.service.assumptions;
		if (sameUrl === 'reject' && some(webhooks, { url, isActive: true }))
			throw new ServiceError(400, 'This URL is already registered');
		if (sameUrl === 'replace') remove(webhooks, { url });
		const webhook = newWebhook(random, url, [...new Set(events)], context.service.now());
		webhooks.push(webhook);
		return { webhook };
	},
};

/** GET /chat/webhooks (docs/service.md, section 4.11). */
export const listWebhooks: Endpoint = {
	method: 'GET',
	path,
	scope,
	handle: ({ service, state }) => {
		const { webhookList, webhookFields } = service.assumptions;
		const fields = {
			all: (webhook: Webhook) => omit(webhook, 'secret'),
			withoutEvents: (webhook: Webhook) => omit(webhook, ['secret', 'events']),
			idAndUrl: (webhook: Webhook) => pick(webhook, ['id', 'url']),
		};
		const webhooks = state.webhooks.map(fields[webhookFields]);
		const wrapped = {
			...{ webhooks: { webhooks }, data: { data: webhooks }, otherKey: { items: webhooks } },
			...{ nested: { data: { webhooks } }, bare: webhooks },
		};
		return wrapped[webhookList];
	},
};

const query = schema({ id: z.string().min(1) });

/** DELETE /chat/webhooks?id= (docs/service.md, section 4.12). */
export const deleteWebhook: Endpoint = {
	method: 'DELETE',
	path,
	scope,
	handle: (context) => {
		const { id } = context.query(query);
		const { deleteResponse, deleted } = context.service.assumptions;
		const webhook = find(context.state.webhooks, { id, isActive: true });
		if (!webhook) throw new ServiceError(404, 'Webhook not found');
		webhook.isActive = false;
		if (deleted === 'gone') pull(context.state.webhooks, webhook);
		return deleteResponse === 'empty' ? undefined : { success: true, message: 'Webhook deleted' };
	},
};
