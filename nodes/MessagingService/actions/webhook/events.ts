import { severalField } from '../../parameters/fields';

const events = {
	'message.sent': ['Message Sent', 'A message went out'],
	'message.delivered': ['Message Delivered', 'A message reached the device of its recipient'],
	'message.read': ['Message Read', 'A recipient opened a message'],
	'message.failed': ['Message Failed', 'A message could not be delivered'],
} as const;

/** Event kinds to receive; the default is the service's own (docs/service.md, section 6.1). */
export const eventsField = severalField(
	'events',
	'Events',
	events,
	['message.sent', 'message.delivered', 'message.failed'],
	{ description: 'Which events to receive' },
);
