import fc from 'fast-check';
import { countBy, filter, find } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { callWatch } from '../../../nodes/MessagingService/polling/callWatch';
import { messageWatch } from '../../../nodes/MessagingService/polling/messageWatch';
import type { Watch } from '../../../nodes/MessagingService/polling/watch';
import { numRuns as wanted, patience, seed } from '../../support/fuzz/runs';
import { FakeService, type Order } from '../../support/unit/fakeService';

/** A history has many polls, each of several pages. */
const runs = { seed, numRuns: Math.ceil(wanted / 10) };

jest.setTimeout(patience);
afterEach(() => jest.restoreAllMocks());

const minute = 60_000;

/** Something that happens to the service. */
const happening = fc.oneof(
	fc.record({
		kind: fc.constant('add' as const),
		count: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 130 })),
		/** Milliseconds by which they appear late. */
		late: fc.constantFrom(0, 0, 40_000),
	}),
	fc.record({ kind: fc.constant('move' as const), which: fc.nat(), by: fc.nat(9) }),
	fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 30 }) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
	{ weight: 4, arbitrary: happening },
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('poll' as const),
			/** What happens before the pages of this poll. */
			meanwhile: fc.array(fc.option(happening), { maxLength: 5 }),
			failsBefore: fc.option(fc.nat(4), { freq: 5 }),
		}),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
);

const history = fc.record({
	order: fc.constantFrom<Order>('newestFirst', 'oldestFirst', 'mixed'),
	older: fc.array(fc.nat(9), { maxLength: 250 }),
	steps: fc.array(step, { maxLength: 25 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** How records begin, and what they can become. */
interface Kind {
	first: IDataObject;
	/** What a record is next. */
	next(record: IDataObject, by: number): IDataObject;
}

/**
 * Plays a history of a list that is watched by an n8n that saves the state of a poll only if it has items.
 * At the end, it polls until nothing is left to emit.
 */
async function played(watch: Watch, kind: Kind, { order, older, steps }: History) {
	let clock = Date.UTC(2026, 0);
	jest.spyOn(Date, 'now').mockImplementation(() => clock);
	let onPage = () => {};
	const service: FakeService = new FakeService({
		order,
		totals: (total) => ({
			total,
			...(kind.first.status ? { stats: countBy(service.records, 'status') } : {}),
		}),
		onRequest: () => onPage(),
	});
	const { records } = service;
	const happen = (what: Happening): void => {
		if (what.kind === 'pass') clock += what.minutes * minute;
		else if (what.kind === 'add') {
			clock += what.count;
			service.add(what.count, () => clock - what.late - 1_700_000_000_000);
			for (const record of records.slice(-what.count)) Object.assign(record, kind.first);
		} else {
			const record = records[what.which % records.length];
			if (record) Object.assign(record, kind.next(record, what.by));
		}
	};
	for (const by of older) {
		happen({ kind: 'add', count: 1, late: 0 });
		happen({ kind: 'move', which: records.length - 1, by });
		if (by > 7) happen({ kind: 'pass', minutes: by });
	}
	const before = structuredClone(records);
	const startedAt = clock;

	let memory: IDataObject | undefined;
	let saved: IDataObject | undefined;
	const emitted: IDataObject[] = [];
	const poll = async (meanwhile: (page: number) => void = () => {}): Promise<IDataObject[]> => {
		let page = 0;
		onPage = () => meanwhile(page++);
		const { items, state } = await watch.poll(service.call, memory);
		memory = structuredClone(state);
		if (items.length > 0) saved = memory;
		emitted.push(...items);
		return items;
	};
	expect(await poll()).toEqual([]);
	saved = memory;
	const failure = new Error('no connection');
	for (const one of steps) {
		if (one.kind === 'kill') memory = saved;
		else if (one.kind !== 'poll') happen(one);
		else {
			const polled = poll((page) => {
				if (page === one.failsBefore) throw failure;
				const what = one.meanwhile[page];
				if (what) happen(what);
			});
			await polled.catch((error: unknown) => expect(error).toBe(failure));
		}
	}
	// What happened to records that nothing shows is found with the next that does.
	happen({ kind: 'add', count: 1, late: 0 });
	for (let quiet = 0; quiet < 3; quiet++) await poll();
	service.requests.length = 0;
	expect(await poll()).toEqual([]);

	/** Each record with what it was at the starting point, and its items. */
	const all = records.map((record) => ({
		record,
		old: find(before, { id: record.id }),
		items: filter(emitted, { id: record.id }),
	}));
	const ageOf = ({ sentAt }: IDataObject, at = clock) => (at - Date.parse(String(sentAt))) / minute;
	return { all, ageOf, startedAt, service };
}

const oneOf = (names: string[] | undefined, by: number) => names?.[by % names.length];

describe('any history of calls', () => {
	const endStatuses = ['success', 'no-answer', 'failed'];
	const following: Record<string, string[]> = {
		initiated: ['in-progress', 'answered', 'no-answer', 'failed', 'success'],
		'in-progress': ['answered', 'initiated', 'failed'],
		answered: ['success', 'failed', 'in-progress'],
		// A late correction of how it ended.
		failed: ['success'],
	};
	const kind: Kind = {
		first: { callStatus: 'initiated', duration: 0 },
		next: ({ callStatus, duration }, by) => {
			// A call may stay answered when it has ended.
			if (callStatus === 'answered' && by > 6) return { duration: 42 };
			return { callStatus: oneOf(following[String(callStatus)], by) ?? callStatus, duration };
		},
	};
	const hasEnded = ({ callStatus, duration }: IDataObject) =>
		endStatuses.includes(String(callStatus)) || Number(duration) > 0;

	test('every change is emitted exactly once', async () => {
		await fc.assert(
			fc.asyncProperty(history, async (drawn) => {
				const watch = callWatch(['started', 'statusChanged', 'ended'], { route: '', search: '' });
				const { all } = await played(watch, kind, drawn);
				for (const { record, old, items } of all) {
					const count = (name: string) => items.filter(({ event }) => event === name).length;
					expect(count('started')).toBe(old ? 0 : 1);
					// Each change starts where the one before has ended, and the last leads to the present.
					let last: unknown = old?.callStatus ?? 'initiated';
					for (const { event, previousStatus, callStatus } of items) {
						if (event !== 'statusChanged') continue;
						expect(previousStatus).toBe(last);
						last = callStatus;
					}
					expect(last).toBe(record.callStatus);
					expect(count('ended')).toBe(hasEnded(record) && !(old && hasEnded(old)) ? 1 : 0);
				}
			}),
			runs,
		);
	});
});

describe('any history of messages', () => {
	const statuses = ['Delivered', 'Read', 'Failed'];
	const following: Record<string, string[]> = {
		Sent: ['Delivered', 'Failed', 'Read'],
		Delivered: ['Read'],
	};
	const kind: Kind = {
		first: { status: 'Sent' },
		next: (record, by) => ({
			status: oneOf(following[String(record.status)], by) ?? record.status,
		}),
	};

	test('each is emitted once with each status that a poll could see, and once if it is stuck', async () => {
		await fc.assert(
			fc.asyncProperty(history, fc.constantFrom(0, 20), async (drawn, stuckAfter) => {
				const { all, ...history } = await played(messageWatch(statuses, stuckAfter), kind, drawn);
				for (const { record, old, items } of all) {
					const reached = items.filter(({ event }) => !event).map(({ status }) => status);
					expect(new Set(reached).size).toBe(reached.length);
					expect(reached).not.toContain(old?.status);
					if (statuses.includes(String(record.status)) && record.status !== old?.status) {
						expect(reached[reached.length - 1]).toBe(record.status);
					}
					const stuck = items.filter(({ event }) => event === 'message.stuck').length;
					const isStuck = record.status === 'Sent' && history.ageOf(record) >= stuckAfter;
					const wasStuck =
						old?.status === 'Sent' && history.ageOf(old, history.startedAt) >= stuckAfter;
					const mayBeStuck = stuckAfter > 0 && !wasStuck;
					expect(stuck).toBeLessThanOrEqual(mayBeStuck ? 1 : 0);
					expect(stuck).toBeGreaterThanOrEqual(mayBeStuck && isStuck ? 1 : 0);
				}
				expect(history.service.requests).toHaveLength(1);
			}),
			runs,
		);
	});
});
