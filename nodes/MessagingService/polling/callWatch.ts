import type { IDataObject } from 'n8n-workflow';
import { hasEnded } from '../actions/voiceCall/waitForEnd';
import { lists, readPage, timeIn } from '../api/lists';
import { withoutEmpty } from '../api/endpoints';
import { withoutFormatting } from '../parameters/phone';
import type { Change, ListRules } from './history';
import { listWatch, type Watch } from './watch';

interface CallFilters {
	route: string;
	search: string;
}

/** Status of every call at first (docs/service.md, section 3.3). */
const firstStatus = 'initiated';

const ended = 'ended';

/** A call this much older than the newest one is not waited for any more. */
const longestCall = 24 * 60 * 60 * 1_000;

/**
 * The newest 1,000 calls are watched, in at most 30 KB. As long as one of them has not ended, and no
 * other has started more than 24 hours after it, all are read in every poll.
 */
const callRules: ListRules = {
	timeOf: (record) => timeIn(record, lists.calls.time),
	statusOf: ({ callStatus, status }) => String(callStatus ?? status),
	marksOf: (record) => (hasEnded(record) ? [ended] : []),
	window: 1_000,
	// Nothing but the call itself tells that it goes on.
	nextLook: ({ seen, time }, newest) =>
		!seen.includes(ended) && newest - time <= longestCall ? 0 : null,
};

/**
 * Watches the call log (GET /voice/call-logs, docs/service.md, section 4.14): one request per poll as
 * long as nothing happens and no call is going on.
 *
 * A call that was placed and went on between two polls emits the same events as if each step had
 * been seen: started, changed from `initiated`, ended. What lies between is not in the log.
 *
 * @param selected which of `started`, `statusChanged` and `ended` to emit
 */
export function callWatch(selected: string[], { route, search }: CallFilters): Watch {
	const query = withoutEmpty({ route, search: withoutFormatting(search) });
	const itemsOf = (change: Change) =>
		callEvents(change).filter(({ event }) => selected.includes(String(event)));

	return listWatch({
		identity: { watch: 'voiceCalls', ...query },
		list: lists.calls,
		query,
		rules: callRules,
		itemsOf,
		sample: async (call) => {
			const { timeOf, statusOf } = callRules;
			const { records } = await readPage(call, lists.calls, query);
			const newest = [...records].sort((a, b) => timeOf(b) - timeOf(a));
			const events = [...newest, ...examples].flatMap((record) =>
				itemsOf({
					record,
					status: statusOf(record),
					reached: hasEnded(record) ? [ended] : [],
					previous: undefined,
				}),
			);
			return events[0] ?? {};
		},
	});
}

/** The events that a change of a call stands for, in order. */
function callEvents({ record, status, reached, previous }: Change): IDataObject[] {
	const previousStatus = previous?.status ?? firstStatus;
	const events: IDataObject[] = [];
	if (!previous) events.push({ event: 'started' });
	if (status !== previousStatus) events.push({ event: 'statusChanged', previousStatus });
	if (reached.includes(ended)) events.push({ event: 'ended' });
	return events.map((event) => ({ ...record, ...event }));
}

const started: IDataObject = {
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

/** Shown by a manual test on an account without a call that fits: it starts, then it has ended. */
const examples: IDataObject[] = [
	started,
	{
		...started,
		duration: 42,
		status: 'Success',
		callStatus: 'success',
		updatedAt: '2026-01-31T12:01:00.000Z',
	},
];
