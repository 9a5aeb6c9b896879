import type { INodeProperties } from 'n8n-workflow';

/** Event kinds to receive; the default is the service's own (docs/service.md, section 6.1). */
export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	options: [
		{
			name: 'Message Delivered',
			value: 'message.delivered',
			description: 'A message reached the device of its recipient',
		},
		{
			name: 'Message Failed',
			value: 'message.failed',
			description: 'A message could not be delivered',
		},
		{ name: 'Message Read', value: 'message.read', description: 'A recipient opened a message' },
		{ name: 'Message Sent', value: 'message.sent', description: 'A message went out' },
	],
	default: ['message.sent', 'message.delivered', 'message.failed'],
	description: 'Which events to receive',
};
