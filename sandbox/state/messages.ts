import type { MessageStatus } from '../documented';
import type { SeededRandom } from '../random';

/** A chat message; times are milliseconds since 1970. */
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

export type MessageDraft = Pick<Message, 'to' | 'from' | 'content' | 'type' | 'templateName'>;

/** A message as GET /chat/campaigns shows it (docs/service.md, section 2.3). */
export interface MessageRecord {
	id: string;
	to: string;
	status: MessageStatus;
	providerMessageId: string;
	content: string;
	type: string;
	sentAt: string;
	updatedAt: string;
}

export function messageRecord(message: Message): MessageRecord {
	return {
		id: message.id,
		to: message.to,
		status: message.status,
		providerMessageId: message.providerMessageId,
		content: message.content,
		type: message.type,
		sentAt: new Date(message.sentAt).toISOString(),
		updatedAt: new Date(message.updatedAt).toISOString(),
	};
}

export interface PageQuery {
	status?: MessageStatus;
	offset: number;
	limit: number;
	newestFirst: boolean;
}

/** All messages in the order of sending, with a count per status. */
export class Messages {
	readonly counts: Record<MessageStatus, number> = { Sent: 0, Delivered: 0, Read: 0, Failed: 0 };

	private readonly messages: Message[] = [];

	constructor(private readonly random: SeededRandom) {}

	add(draft: MessageDraft, sentAt: number, status: MessageStatus = 'Sent'): Message {
		const message: Message = {
			id: this.random.uuid(),
			providerMessageId: this.newProviderId(),
			...draft,
			sentAt,
			status,
			updatedAt: sentAt,
		};
		this.messages.push(message);
		this.counts[status] += 1;
		return message;
	}

	newProviderId(): string {
		return `pm.${this.random.hex(16)}`;
	}

	setStatus(message: Message, status: MessageStatus, at: number): void {
		this.counts[message.status] -= 1;
		this.counts[status] += 1;
		message.status = status;
		message.updatedAt = at;
	}

	find(id: string): Message | undefined {
		return this.messages.find((one) => one.id === id);
	}

	all(): readonly Message[] {
		return this.messages;
	}

	/** Messages that match, how many there are in all, and one page of them. */
	page({ status, offset, limit, newestFirst }: PageQuery): { total: number; page: Message[] } {
		const total = status ? this.counts[status] : this.messages.length;
		const page: Message[] = [];
		let skipped = 0;
		for (let index = 0; index < this.messages.length && page.length < limit; index++) {
			const message = this.messages[newestFirst ? this.messages.length - 1 - index : index];
			if (!message || (status && message.status !== status)) continue;
			if (skipped < offset) skipped += 1;
			else page.push(message);
		}
		return { total, page };
	}
}
