import { omit } from 'lodash';
import type { Assumptions } from '../assumptions';
import type { MessageStatus } from '../documented';
import type { SeededRandom } from '../random';
import { now, writeChatNumber } from './records';

/** A chat message; numbers are digits. */
export interface Message {
	readonly id: string;
	readonly providerMessageId: string;
	readonly to: string;
	readonly from: string;
	readonly content: string;
	readonly type: string;
	/** Empty for messages without a template. */
	readonly templateName: string;
	readonly sentAt: string;
	status: MessageStatus;
	updatedAt: string;
}

export type MessageDraft = Pick<Message, 'to' | 'from' | 'content' | 'type' | 'templateName'> & {
	/** `Sent` by default. */
	status?: MessageStatus;
};

/** A message as GET /chat/campaigns shows it (docs/service.md, section 2.3). */
export const messageRecord = (message: Message, assumptions: Assumptions) => ({
	...omit(message, ['from', 'templateName']),
	to: writeChatNumber(message.to, assumptions),
});

/** A message as it is sent. */
export const newMessage = (random: SeededRandom, draft: MessageDraft, sentAt = now()): Message => ({
	id: random.uuid(),
	providerMessageId: newProviderId(random),
	status: 'Sent',
	...draft,
	sentAt,
	updatedAt: sentAt,
});

export const newProviderId = (random: SeededRandom): string => `pm.${random.hex(16)}`;
