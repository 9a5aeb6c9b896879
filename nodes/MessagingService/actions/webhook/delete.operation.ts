import { endpoints } from '../../api/endpoints';
import { requiredName } from '../../parameters/schemas';
import { locatorField } from '../../parameters/sharedFields';
import type { ItemOperation } from '../../operation';

/** DELETE /chat/webhooks?id=: removes a registration (docs/service.md, section 4.12). */
export const deleteWebhook: ItemOperation = {
	kind: 'item',
	value: 'delete',
	name: 'Delete',
	action: 'Delete a webhook',
	description: 'Remove a registered webhook',
	fields: [
		locatorField('webhookId', 'Webhook', 'searchWebhooks', {
			placeholder: 'e.g. 0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55',
			description: 'Registration to remove; its ID is what Create and Get Many return',
		}),
	],
	plan: (read) => ({
		request: {
			endpoint: endpoints.deleteWebhook,
			query: { id: read('webhookId', requiredName) },
		},
	}),
	output: () => [{ deleted: true }],
};
