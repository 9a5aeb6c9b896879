import { createHmac } from 'node:crypto';
import type { Assumptions } from '../assumptions';
import type { MessageStatus } from '../documented';
import type { Message } from '../state/messages';
import { writeChatNumber, writeTime } from '../state/records';

/** The kind of event that a status is announced with. */
export const eventOf = (status: MessageStatus): string => `message.${status.toLowerCase()}`;

/** The event that a message's present status stands for (docs/service.md, section 6.1). */
export function payloadOf(message: Message, assumptions: Assumptions) {
	return {
		event: eventOf(message.status),
		timestamp: writeTime(message.updatedAt),
		data: {
			providerMessageId: message.providerMessageId,
			status: message.status.toLowerCase(),
			to: writeChatNumber(message.to, assumptions),
			from: writeChatNumber(message.from, assumptions),
			templateName: message.templateName,
		},
	};
}

/** The signature header of a raw body: HMAC-SHA256 with the webhook's secret (docs/service.md, section 6.2). */
export function sign(body: string, secret: string): string {
	return createHmac('sha256', secret).update(body).digest('hex');
}
