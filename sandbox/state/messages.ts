import { omit } from 'lodash';
import type { Assumptions } from '../assumptions';
import type { MessageStatus } from '../documented';
import type { SeededRandom } from '../random';
import { writeChatNumber, writeTime } from './records';

/** A chat message; numbers are digits, times milliseconds since 1970. */
export interface Message {
	readonly id: string;
	readonly providerMessageId: string;
	readonly to: string;
	readonly from: string;
	readonly content: string;
	readonly type: string;
	/** Empty for messages without a template. */
	readonly templateName: string;
	readonly sentAt: number;
	status: MessageStatus;
	updatedAt: number;
}

export type MessageDraft = Pick<Message, 'to' | 'from' | 'content' | 'type' | 'templateName'> & {
	/** `Sent` by default. */
	status?: MessageStatus;
};

/** A message as GET /chat/campaigns shows it (docs/service.md, section 2.3). */
export const messageRecord = (message: Message, assumptions: Assumptions) => ({
	...omit(message, ['from', 'templateName']),
	to: writeChatNumber(message.to, assumptions),
	sentAt: writeTime(message.sentAt),
	updatedAt: writeTime(message.updatedAt),
});

/** The messages in the order of sending. */
export class Messages {
	/** How many have each status: counting them for every page would take longer than the page. */
	readonly counts: Record<MessageStatus, number> = { Sent: 0, Delivered: 0, Read: 0, Failed: 0 };

	readonly all: Message[] = [];

	constructor(private readonly random: SeededRandom) {}

	add(draft: MessageDraft, sentAt: number): Message {
		const message: Message = {
			id: this.random.uuid(),
			providerMessageId: this.newProviderId(),
			status: 'Sent',
			...draft,
			sentAt,
			updatedAt: sentAt,
		};
		this.all.push(message);
		this.counts[message.status] += 1;
		return message;
	}

	setStatus(message: Message, status: MessageStatus, at: number): void {
		this.counts[message.status] -= 1;
		this.counts[status] += 1;
		message.status = status;
		message.updatedAt = at;
	}

	newProviderId(): string {
		return `pm.${this.random.hex(16)}`;
	}
}
