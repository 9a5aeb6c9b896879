import type { IDataObject } from 'n8n-workflow';
import { lists, maxPageSize, readPage, timeIn } from '../api/lists';
import type { Change, ListRules } from './changeDetector';
import { listWatch, type Watch } from './watch';

/**
 * The newest 10,000 messages are watched, as many as one bulk campaign can have (docs/service.md,
 * section 8.1): a message that is read days later is emitted as long as it is one of them. They
 * take at most 300 KB.
 */
const messageRules: ListRules = {
	timeOf: (record) => timeIn(record, lists.messages.time),
	statusOf: ({ status }) => String(status),
	window: 10_000,
	pageSize: maxPageSize,
	hasStats: true,
	mustBeRead: () => false,
};

/**
 * Watches message records (GET /chat/campaigns, docs/service.md, section 4.9): one item for every
 * message that reached one of the statuses, once per message and status, however often it goes back
 * and forth.
 *
 * The counts per status come with every page, so one request shows that nothing has happened, and
 * pages are read only until the changes found explain the counts.
 */
export function messageWatch(statuses: string[]): Watch {
	return listWatch({
		identity: { watch: 'messages' },
		list: lists.messages,
		rules: messageRules,
		itemsOf: (change) => (isReached(change, statuses) ? [change.record] : []),
		sample: async (call) => {
			const [status = 'Sent'] = statuses;
			const { records } = await readPage(call, lists.messages, { status }, { size: 1 });
			return records[0] ?? { ...example, status };
		},
	});
}

/** Whether a message has one of the statuses for the first time. */
export const isReached = ({ status, previous }: Change, statuses: string[]): boolean =>
	statuses.includes(status) && !previous?.seen.includes(status);

/** Shown by a manual test while no message has the status. */
const example: IDataObject = {
	id: 'example',
	to: '919876543210',
	status: 'Sent',
	providerMessageId: 'example',
	content: 'Example',
	type: 'template',
	sentAt: '2026-01-31T12:00:00.000Z',
	updatedAt: '2026-01-31T12:00:00.000Z',
};
