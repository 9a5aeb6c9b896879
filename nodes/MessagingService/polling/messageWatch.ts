import type { IDataObject } from 'n8n-workflow';
import { lists, readPage, statusesReached, statusOf, timeIn } from '../api/lists';
import type { Change, ListRules } from './history';
import { listWatch, type Watch } from './watch';

const stuck = 'stuck';

/**
 * The newest 10,000 messages are watched, as many as one bulk campaign can have (docs/service.md,
 * section 8.1): a message that is read days later is emitted as long as it is one of them. They
 * take at most 300 KB.
 *
 * @param patience milliseconds after which a message that is still Sent is stuck; 0 for never
 */
function messageRules(patience: number): ListRules {
	const timeOf = (record: IDataObject) => timeIn(record, lists.messages.time);
	// How old a message without a time is, nobody knows.
	const dueAt = (time: number) => (patience > 0 && time > 0 ? time + patience : Infinity);
	return {
		timeOf,
		statusOf,
		marksOf: (record, now) => {
			const status = statusOf(record);
			const isStuck = status === 'Sent' && dueAt(timeOf(record)) <= now;
			return [...statusesReached(status), ...(isStuck ? [stuck] : [])];
		},
		window: 10_000,
		nextLook: ({ status, time, seen }) =>
			status === 'Sent' && !seen.includes(stuck) && dueAt(time) < Infinity ? dueAt(time) : null,
	};
}

/**
 * Watches message records (GET /chat/campaigns, docs/service.md, section 4.9): one item for every
 * message that reached one of the statuses, also in passing, once per message and status, however often
 * it goes back and forth, and one for every message that stays Sent for too long.
 *
 * The counts per status come with every page, so one request shows that nothing has happened.
 *
 * @param stuckAfter minutes after which a message that is still Sent is told; 0 for never
 */
export function messageWatch(statuses: string[], stuckAfter: number): Watch {
	return listWatch({
		identity: { watch: 'messages', ...(stuckAfter > 0 ? { stuckAfter } : {}) },
		list: lists.messages,
		rules: messageRules(stuckAfter * 60_000),
		itemsOf: ({ record, reached }: Change) => [
			...(statuses.some((status) => reached.includes(status)) ? [record] : []),
			...(reached.includes(stuck) ? [{ ...record, event: 'message.stuck' }] : []),
		],
		sample: async (call) => {
			const [status = 'Sent'] = statuses;
			const { records } = await readPage(call, lists.messages, { status }, { size: 1 });
			return records[0] ?? { ...example, status };
		},
	});
}

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
