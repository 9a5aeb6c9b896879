import type { IDataObject } from 'n8n-workflow';
import { hasOffset, lists, readPage, statusesReached, statusOf, timeIn } from '../api/lists';
import { listWatch } from './listWatch';
import type { Watch } from './watch';

const stuck = 'stuck';

/**
 * Watches the newest 10,000 message records (GET /chat/campaigns, docs/service.md, section 4.9). A poll emits an item
 * for each message that has reached or passed one of the statuses, or is still Sent after `stuckAfter` minutes (0
 * turns this off). Every page has the counts per status, so one request shows that nothing has changed.
 */
export function messageWatch(statuses: string[], stuckAfter: number): Watch {
	const { time: sentAt } = lists.messages;
	// The age of a message is unknown if its time has no offset or cannot be read.
	const dueAt = (record: IDataObject) => {
		const canBeStuck = statusOf(record) === 'Sent' && stuckAfter > 0 && hasOffset(record, sentAt);
		return canBeStuck ? timeIn(record, sentAt) + stuckAfter * 60_000 : undefined;
	};
	return listWatch({
		identity: { watch: 'messages', ...(stuckAfter > 0 ? { stuckAfter } : {}) },
		list: lists.messages,
		countKey: 'stats',
		window: 10_000,
		statusOf,
		milestonesOf: (record, now) => {
			const due = dueAt(record) ?? Infinity;
			return [...statusesReached(statusOf(record)), ...(due <= now ? [stuck] : [])];
		},
		nextLook: ({ milestones }, _now, record) =>
			milestones.includes(stuck) ? undefined : dueAt(record),
		itemsOf: ({ record, reached }) => [
			...(statuses.some((status) => reached.includes(status)) ? [record] : []),
			...(reached.includes(stuck) ? [{ ...record, event: 'message.stuck' }] : []),
		],
		sample: async (call) => {
			const [status = 'Sent'] = statuses;
			const { records } = await readPage(call, lists.messages, { status }, { size: 1 });
			const sample = records[0] ?? { ...example, status };
			return statuses.length > 0 ? sample : { ...sample, event: 'message.stuck' };
		},
	});
}

const example: IDataObject = {
	id: 'example',
	to: '14155550101',
	status: 'Sent',
	providerMessageId: 'example',
	content: 'Example',
	type: 'template',
	sentAt: '2026-01-31T12:00:00.000Z',
	updatedAt: '2026-01-31T12:00:00.000Z',
};
