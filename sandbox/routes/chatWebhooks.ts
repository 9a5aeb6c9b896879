import { omit } from 'lodash';
import { z } from 'zod';
import { defaultWebhookEvents, webhookEvents } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import { isWebhookUrl, list, schema, text } from '../http/validate';
import { webhookRecord } from '../state/webhooks';

const path = '/chat/webhooks';
const scope = 'chat:send';

const body = schema({
	url: text.pipe(z.string().refine(isWebhookUrl, 'must be a valid HTTPS URL')),
	events: list(z.enum(webhookEvents)).default([...defaultWebhookEvents]),
});

/** POST /chat/webhooks (docs/service.md, section 4.10): the only response with the secret. */
export const createWebhook: Endpoint = {
	method: 'POST',
	path,
	scope,
	handle: (context) => {
		const { url, events } = context.body(body);
		const webhook = context.state.webhooks.add(url, [...new Set(events)], Date.now());
		return { status: 201, body: { webhook: webhookRecord(webhook) } };
	},
};

/** GET /chat/webhooks (docs/service.md, section 4.11). */
export const listWebhooks: Endpoint = {
	method: 'GET',
	path,
	scope,
	handle: ({ state }) =>
		ok({
			webhooks: state.webhooks.all.map((webhook) => omit(webhookRecord(webhook), 'secret')),
		}),
};

const query = schema({ id: z.string().min(1) });

/** DELETE /chat/webhooks?id= (docs/service.md, section 4.12). */
export const deleteWebhook: Endpoint = {
	method: 'DELETE',
	path,
	scope,
	handle: (context) => {
		const { id } = context.query(query);
		if (!context.state.webhooks.delete(id)) throw new ServiceError(404, 'Webhook not found');
		return ok({ success: true, message: 'Webhook deleted' });
	},
};
