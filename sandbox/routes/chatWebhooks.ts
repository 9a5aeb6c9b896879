import { omit, remove } from 'lodash';
import { z } from 'zod';
import { defaultWebhookEvents, webhookEvents } from '../documented';
import { ServiceError, type Endpoint } from '../http/endpoint';
import { isWebhookUrl, list, schema, text } from '../http/validate';
import { newWebhook } from '../state/webhooks';

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
		const webhook = newWebhook(random, url, [...new Set(events)]);
		webhooks.push(webhook);
		return { webhook };
	},
};

/** GET /chat/webhooks (docs/service.md, section 4.11). */
export const listWebhooks: Endpoint = {
	method: 'GET',
	path,
	scope,
	handle: ({ state }) => ({
		webhooks: state.webhooks.map((webhook) => omit(webhook, 'secret')),
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
		const deleted = remove(context.state.webhooks, { id });
		if (deleted.length === 0) throw new ServiceError(404, 'Webhook not found');
		return { success: true, message: 'Webhook deleted' };
	},
};
