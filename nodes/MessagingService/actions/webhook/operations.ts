import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { lists, readPage } from '../../api/lists';
import { withValue } from '../../api/response';
import type { ItemOperation } from '../../operation';
import { requiredField, severalField } from '../../parameters/fields';
import { httpsUrl, choices, requiredName } from '../../parameters/schemas';
import { locatorField } from '../../parameters/sharedFields';

const events = {
	'message.sent': 'Message Sent',
	'message.delivered': 'Message Delivered',
	'message.read': 'Message Read',
	'message.failed': 'Message Failed',
} as const;

/** Event kinds to receive; the default is the service's own (docs/service.md, section 6.1). */
export const eventsField = severalField(
	'events',
	'Events',
	events,
	['message.sent', 'message.delivered', 'message.failed'],
	{ description: 'Which events to receive' },
);

/** POST /chat/webhooks: registers a webhook; the secret is shown only here (docs/service.md, section 4.10). */
export const createWebhook: ItemOperation = {
	kind: 'item',
	value: 'create',
	action: 'Create webhook',
	description:
		'Register a URL that receives message events. Store the secret from the output: the service shows it only once.',
	fields: [
		requiredField('url', 'URL', {
			placeholder: 'e.g. https://host.example/events',
			description: 'HTTPS URL that receives the events',
		}),
		eventsField,
	],
	plan: (read) => {
		const events = read('events', choices);
		const body = { url: read('url', httpsUrl), ...(events.length > 0 ? { events } : {}) };
		return { request: { endpoint: endpoints.createWebhook, body } };
	},
	output: (response) => [withValue(response, 'webhook.id').webhook as IDataObject],
};

/** DELETE /chat/webhooks?id=: removes a registration (docs/service.md, section 4.12). */
export const deleteWebhook: ItemOperation = {
	kind: 'item',
	value: 'delete',
	action: 'Delete webhook',
	description: 'Remove a registered webhook',
	fields: [
		locatorField('webhookId', 'Webhook', 'searchWebhooks', {
			placeholder: 'e.g. 0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55',
			description: 'Registered webhook to remove. Create and Get Many return its ID.',
		}),
	],
	plan: (read) => {
		const query = { id: read('webhookId', requiredName) };
		return { request: { endpoint: endpoints.deleteWebhook, query } };
	},
	output: () => [{ deleted: true }],
};

/** GET /chat/webhooks: the registrations, one item each (docs/service.md, section 4.11). */
export const getManyWebhooks: ItemOperation = {
	kind: 'item',
	value: 'getMany',
	action: 'Get many webhooks',
	description: 'Get the registered webhooks',
	fields: [],
	plan: () => ({
		request: { endpoint: lists.webhooks.endpoint },
		readAll: async (call) => (await readPage(call, lists.webhooks)).records,
	}),
};
