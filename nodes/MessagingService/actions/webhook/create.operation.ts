import { isJsonObject } from '../../api/response';
import { absoluteUrl, choices } from '../../parameters/schemas';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';
import { eventsField } from './events';

/** POST /chat/webhooks: registers a webhook; the secret is shown only here (docs/service.md, section 4.10). */
export const createWebhook: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create a webhook',
	description:
		'Register a URL that is told about message events. Keep the secret of the output: it is shown only now.',
	id: 'webhook.id',
	fields: [
		{
			displayName: 'URL',
			name: 'url',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://host.example/events',
			description: 'HTTPS URL that receives the events',
		},
		eventsField,
		optionsField(),
	],
	request: (read) => {
		const events = read('events', 'Events', choices);
		return {
			method: 'POST',
			path: '/chat/webhooks',
			body: {
				url: read('url', 'URL', absoluteUrl),
				...(events.length > 0 ? { events } : {}),
			},
		};
	},
	output: ({ webhook }) => (isJsonObject(webhook) ? [webhook] : []),
};
