import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { withId } from '../../api/response';
import { textField } from '../../parameters/fields';
import { absoluteUrl, choices } from '../../parameters/schemas';
import type { ItemOperation } from '../../operation';
import { eventsField } from './events';

/** POST /chat/webhooks: registers a webhook; the secret is shown only here (docs/service.md, section 4.10). */
export const createWebhook: ItemOperation = {
	kind: 'item',
	value: 'create',
	name: 'Create',
	action: 'Create a webhook',
	description:
		'Register a URL that is told about message events. Keep the secret of the output: it is shown only now.',
	fields: [
		textField('url', 'URL', {
			required: true,
			placeholder: 'e.g. https://host.example/events',
			description: 'HTTPS URL that receives the events',
		}),
		eventsField,
	],
	plan: (read) => {
		const events = read('events', choices);
		const body = { url: read('url', absoluteUrl), ...(events.length > 0 ? { events } : {}) };
		return { request: { endpoint: endpoints.createWebhook, body } };
	},
	output: (response) => [withId(response, 'webhook.id').webhook as IDataObject],
};
