import { omit, toLower, toUpper, upperFirst } from 'lodash';
import type { Assumptions } from '../assumptions';
import { writeChatNumber } from '../dialect';
import type { MessageStatus } from '../documented';
import type { SeededRandom } from '../random';

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
	/** Empty if its record has none; a new one by default. */
	providerMessageId?: string;
};

/** A message as GET /chat/campaigns shows it (docs/service.md, section 2.3). */
export function messageRecord(message: Message, assumptions: Assumptions) {
	const isUntimed = assumptions.failedTime === 'null' && message.status === 'Failed';
	const write = { title: upperFirst, lower: toLower, upper: toUpper }[assumptions.statusCase];
	return {
		...omit(message, ['from', 'templateName']),
		...(isUntimed && { sentAt: null }),
		to: writeChatNumber(message.to, assumptions),
		status: write(message.status),
	};
}

/** A message as it is sent. */
export const newMessage = (random: SeededRandom, draft: MessageDraft, sentAt: string): Message => ({
	id: random.uuid(),
	providerMessageId: newProviderId(random),
	status: 'Sent',
	...draft,
	sentAt,
	updatedAt: sentAt,
});

export const newProviderId = (random: SeededRandom): string => `pm.${random.hex(16)}`;
