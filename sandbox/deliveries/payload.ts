import type { MessageStatus, WebhookEvent } from '../documented';
import type { Message } from '../state/messages';

/** `data` of an event (docs/service.md, section 6.1). */
export interface EventData {
	providerMessageId: string;
	status: string;
	to: string;
	from: string;
	templateName: string;
}

export interface EventPayload {
	event: string;
	timestamp: string;
	data: EventData;
}

const EVENT_OF_STATUS: Record<MessageStatus, WebhookEvent> = {
	Sent: 'message.sent',
	Delivered: 'message.delivered',
	Read: 'message.read',
	Failed: 'message.failed',
};

/** The kind of event that a status is told with. */
export function eventOf(status: MessageStatus): WebhookEvent {
	return EVENT_OF_STATUS[status];
}

/** The event that a message's present status stands for. */
export function payloadOf(message: Message): EventPayload {
	return {
		event: eventOf(message.status),
		timestamp: new Date(message.updatedAt).toISOString(),
		data: {
			providerMessageId: message.providerMessageId,
			status: message.status.toLowerCase(),
			to: message.to,
			from: message.from,
			templateName: message.templateName,
		},
	};
}
