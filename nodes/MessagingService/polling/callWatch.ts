import type { IDataObject } from 'n8n-workflow';
import { withoutEmpty } from '../api/client';
import { hasEnded, lists, readPage } from '../api/lists';
import { listWatch, type Change } from './listWatch';
import type { Watch } from './watch';

const ended = 'ended';

/** While a call younger than this (in milliseconds) has not ended, every poll reads more than the first page. */
const longestCall = 24 * 60 * 60 * 1_000;

const statusOf = ({ callStatus, status }: IDataObject): string => String(callStatus ?? status);
const milestonesOf = (record: IDataObject): string[] => (hasEnded(record) ? [ended] : []);

/**
 * Watches the newest 1,000 calls (GET /voice/call-logs, docs/service.md, section 4.14). A poll makes one request,
 * unless the first page has changed or a call of the last 24 hours has not ended. A call that is placed and ends
 * between two polls emits all steps: started, changed from `initiated`, ended.
 */
export function callWatch(selected: string[], filters: { route: string; search: string }): Watch {
	const query = withoutEmpty(filters);
	const itemsOf = (change: Change) =>
		eventsOf(change).filter(({ event }) => selected.includes(String(event)));

	return listWatch({
		identity: { watch: 'voiceCalls', ...query },
		list: lists.calls,
		query,
		countKey: 'total',
		window: 1_000,
		statusOf,
		milestonesOf,
		// The first page may not show that an older call has changed.
		nextLook: ({ milestones, time }, now) =>
			milestones.includes(ended) || now - time > longestCall ? undefined : 0,
		itemsOf,
		sample: async (call) => {
			const { records } = await readPage(call, lists.calls, query);
			const events = [...records, example].flatMap((record) =>
				itemsOf({ record, status: statusOf(record), reached: milestonesOf(record) }),
			);
			return events[0] ?? {};
		},
	});
}

function eventsOf({ record, status, reached, previous }: Change): IDataObject[] {
	// Every call starts with this `callStatus`, or with this label in `status` (docs/service.md, section 3.3).
	const previousStatus = previous?.status ?? (record.callStatus ? 'initiated' : 'Started');
	const events: IDataObject[] = [];
	if (!previous) events.push({ event: 'started' });
	if (status !== previousStatus) events.push({ event: 'statusChanged', previousStatus });
	if (reached.includes(ended)) events.push({ event: 'ended' });
	return events.map((event) => ({ ...record, ...event }));
}

const example: IDataObject = {
	id: 'example',
	phone: '+14155550101',
	type: 'API Voice Call',
	duration: 42,
	cost: 1,
	status: 'Success',
	callStatus: 'success',
	route: 'carrier_us1',
	campaignName: 'Example',
	transcript: '',
	createdAt: '2026-01-31T12:00:00.000Z',
	updatedAt: '2026-01-31T12:01:00.000Z',
};
