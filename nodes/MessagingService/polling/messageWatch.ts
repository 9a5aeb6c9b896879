import type { IDataObject } from 'n8n-workflow';
import { isJsonObject } from '../api/response';
import { lists, maxPageSize, recordsOf, timeIn, type ListPage } from '../api/lists';
import type { Call } from '../api/request';
import type { Change, ListRules } from './changeDetector';
import { listWatch } from './listWatch';
import type { Watch } from './watch';

/**
 * The newest 10,000 messages are watched, as many as one bulk campaign can have (docs/service.md,
 * section 8.1): a message that is read days later is told as long as it is one of them. They take
 * at most 300 KB.
 */
export const messageRules: ListRules = {
	timeOf: (record) => timeIn(record, lists.messages.time),
	statusOf: ({ status }) => String(status),
	window: 10_000,
	pageSize: maxPageSize,
	hasStats: true,
	mustBeRead: () => false,
};

/**
 * Watches message records (GET /chat/campaigns, docs/service.md, section 4.9): one item for every
 * message that reached one of the statuses, once per message and status, however often it goes back and forth.
 *
 * The counts per status come with every page, so one request shows that nothing has happened, and
 * pages are read only until the changes found explain the counts.
 */
export function messageWatch(statuses: string[]): Watch {
	return listWatch({
		identity: { watch: 'messages' },
		rules: messageRules,
		readPage: async (call, page) =>
			await readMessages(call, { limit: maxPageSize, offset: page * maxPageSize }),
		itemsOf: (change) => (isReached(change, statuses) ? [change.record] : []),
		sample: async (call) => {
			const [status = 'Sent'] = statuses;
			const { records } = await readMessages(call, { status, limit: 1, offset: 0 });
			return records[0] ?? { ...example, status };
		},
	});
}

/** Whether a message has one of the statuses for the first time. */
export const isReached = ({ status, previous }: Change, statuses: string[]): boolean =>
	statuses.includes(status) && !previous?.seen.includes(status);

async function readMessages(call: Call, query: Record<string, string | number>): Promise<ListPage> {
	const answer = await call({ endpoint: lists.messages.endpoint, query });
	const { total, stats } = answer;
	return {
		records: recordsOf(answer, 'messages'),
		total: typeof total === 'number' ? total : undefined,
		stats: isJsonObject(stats) ? countsIn(stats) : undefined,
	};
}

const countsIn = (stats: IDataObject): Record<string, number> =>
	Object.fromEntries(Object.entries(stats).map(([name, count]) => [name, Number(count) || 0]));

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
