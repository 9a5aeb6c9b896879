import type { IDataObject } from 'n8n-workflow';
import { endStatuses } from '../actions/voiceCall/waitForEnd';
import { isJsonObject } from '../api/response';
import { withoutFormatting } from '../parameters/phone';
import { lists, maxPageSize, recordsOf, timeIn, type ListPage } from '../api/lists';
import { withoutEmpty, type Call } from '../api/request';
import type { Change, ListRules } from './changeDetector';
import { listWatch } from './listWatch';
import type { Watch } from './watch';

/** What can happen to a call. */
export type CallEvent = 'started' | 'statusChanged' | 'ended';

export interface CallFilters {
	route: string;
	search: string;
}

/** Status of every call at first (docs/service.md, section 3.3). */
const firstStatus = 'initiated';

/** A call this much older than the newest one is not waited for any more. */
const longestCall = 24 * 60 * 60 * 1_000;

/**
 * The newest 1,000 calls are remembered, in at most 30 KB. A call is followed until it has ended, as
 * long as it is one of them and no other has started more than 24 hours after it.
 */
export const callRules: ListRules = {
	timeOf: (record) => timeIn(record, lists.calls.time),
	statusOf: ({ callStatus, status }) => String(callStatus ?? status),
	window: 1_000,
	pageSize: maxPageSize,
	hasStats: false,
	mustBeRead: ({ status, time }, newest) =>
		!endStatuses.has(status) && newest - time <= longestCall,
};

/**
 * Watches the call log (GET /voice/call-logs, docs/service.md, section 4.14): one request per poll as
 * long as nothing happens and no call further back is still going on.
 *
 * A call that was placed and went on between two polls is told as if each step had been seen:
 * started, changed from `initiated`, ended. What lies between is not in the log.
 */
export function callWatch(selected: string[], { route, search }: CallFilters): Watch {
	const query = withoutEmpty({ route, search: withoutFormatting(search) });
	const eventsOf = (change: Change) =>
		callEvents(change).filter(({ event }) => selected.includes(String(event)));

	return listWatch({
		identity: { watch: 'voiceCalls', ...query },
		rules: callRules,
		readPage: async (call, page) =>
			await readCalls(call, { ...query, page: page + 1, pageSize: maxPageSize }),
		itemsOf: eventsOf,
		sample: async (call) => {
			const { records } = await readCalls(call, { ...query, page: 1, pageSize: 1 });
			const record = records[0] ?? example;
			return { event: selected[0] ?? 'started', ...record };
		},
	});
}

/** The events that a change of a call stands for, in order. */
export function callEvents({ record, status, previous }: Change): IDataObject[] {
	const previousStatus = previous?.status ?? firstStatus;
	const seen = previous?.seen ?? [firstStatus];
	const events: IDataObject[] = [];
	if (!previous) events.push({ event: 'started' });
	if (status !== previousStatus) events.push({ event: 'statusChanged', previousStatus });
	// A late correction of how it ended does not end a call again.
	if (endStatuses.has(status) && !seen.some((name) => endStatuses.has(name))) {
		events.push({ event: 'ended' });
	}
	return events.map((event) => ({ ...record, ...event }));
}

async function readCalls(call: Call, query: Record<string, string | number>): Promise<ListPage> {
	const answer = await call({ endpoint: lists.calls.endpoint, query });
	const pagination = isJsonObject(answer.pagination) ? answer.pagination : {};
	const { total } = pagination;
	return {
		records: recordsOf(answer, 'data'),
		total: typeof total === 'number' ? total : undefined,
	};
}

/** Shown by a manual test on an account without calls. */
const example: IDataObject = {
	id: 'example',
	phone: '+919876543210',
	type: 'API Voice Call',
	duration: 0,
	cost: 1,
	status: 'Started',
	callStatus: firstStatus,
	route: 'carrier_in1',
	campaignName: 'Example',
	transcript: '',
	createdAt: '2026-01-31T12:00:00.000Z',
	updatedAt: '2026-01-31T12:00:00.000Z',
};
