import type { INodeProperties } from 'n8n-workflow';
import { optionsOf } from '../../parameters/fields';

/** Event kinds to receive; the default is the service's own (docs/service.md, section 6.1). */
export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	options: optionsOf({
		'message.sent': ['Message Sent', 'A message went out'],
		'message.delivered': ['Message Delivered', 'A message reached the device of its recipient'],
		'message.read': ['Message Read', 'A recipient opened a message'],
		'message.failed': ['Message Failed', 'A message could not be delivered'],
	}),
	default: ['message.sent', 'message.delivered', 'message.failed'],
	description: 'Which events to receive',
};
