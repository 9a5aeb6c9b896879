import { requiredName } from '../../parameters/schemas';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';

/** DELETE /chat/webhooks?id=: removes a registration (docs/service.md, section 4.12). */
export const deleteWebhook: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete a webhook',
	description: 'Remove a registered webhook',
	fields: [
		{
			displayName: 'Webhook ID',
			name: 'webhookId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55',
			description: 'ID of the webhook, as Create and Get Many return it',
		},
		optionsField(),
	],
	request: (read) => ({
		method: 'DELETE',
		path: '/chat/webhooks',
		query: { id: read('webhookId', 'Webhook ID', requiredName) },
	}),
	output: () => [{ deleted: true }],
};
