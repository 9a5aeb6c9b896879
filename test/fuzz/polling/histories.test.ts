import fc from 'fast-check';
import { countBy } from 'lodash';
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

/** A list that is watched by an n8n that saves what a poll gives only if it has items. */
class Polled {
	readonly items: IDataObject[] = [];

	readonly before: IDataObject[];

	readonly service: FakeService;

	private clock = Date.UTC(2026, 0);

	private onPage: () => void = () => {};

	private memory: IDataObject | undefined;

	private saved: IDataObject | undefined;

	constructor(
		private readonly watch: Watch,
		private readonly kind: Kind,
		{ order, older }: History,
	) {
		jest.spyOn(Date, 'now').mockImplementation(() => this.clock);
		this.service = new FakeService({
			order,
			totals: (total) => ({
				total,
				...(kind.first.status ? { stats: countBy(this.service.records, 'status') } : {}),
			}),
			onRequest: () => this.onPage(),
		});
		for (const by of older) {
			this.happen({ kind: 'add', count: 1, late: 0 });
			this.happen({ kind: 'move', which: this.service.records.length - 1, by });
			if (by > 7) this.happen({ kind: 'pass', minutes: by });
		}
		this.before = structuredClone(this.service.records);
	}

	happen(what: Happening): void {
		const { records } = this.service;
		if (what.kind === 'pass') this.clock += what.minutes * minute;
		else if (what.kind === 'add') {
			this.clock += what.count;
			this.service.add(what.count, () => this.clock - what.late - 1_700_000_000_000);
			for (const record of records.slice(-what.count)) Object.assign(record, this.kind.first);
		} else if (records.length > 0) {
			const record = records[what.which % records.length];
			if (record) Object.assign(record, this.kind.next(record, what.by));
		}
	}

	/** @param isStart the starting point is saved, whatever it gives */
	async poll(onPage: (page: number) => void = () => {}, isStart = false): Promise<IDataObject[]> {
		let page = 0;
		this.onPage = () => onPage(page++);
		const { items, state } = await this.watch.poll(this.service.call, this.memory);
		this.memory = structuredClone(state);
		if (items.length > 0 || isStart) this.saved = this.memory;
		this.items.push(...items);
		return items;
	}

	async run(steps: History['steps']): Promise<void> {
		expect(await this.poll(undefined, true)).toEqual([]);
		const failure = new Error('no connection');
		for (const one of steps) {
			if (one.kind === 'kill') this.memory = this.saved;
			else if (one.kind !== 'poll') this.happen(one);
			else {
				const poll = this.poll((page) => {
					if (page === one.failsBefore) throw failure;
					const what = one.meanwhile[page];
					if (what) this.happen(what);
				});
				await poll.catch((error: unknown) => expect(error).toBe(failure));
			}
		}
		// What happened to records that nothing tells of is found with the next that does.
		this.happen({ kind: 'add', count: 1, late: 0 });
		for (let quiet = 0; quiet < 3; quiet++) await this.poll();
		this.service.requests.length = 0;
		expect(await this.poll()).toEqual([]);
	}

	/** The items of each record, with what it was at the starting point and is now. */
	records() {
		return this.service.records.map((record) => ({
			record,
			old: this.before.find(({ id }) => id === record.id),
			items: this.items.filter(({ id }) => id === record.id),
		}));
	}

	isOlderThan({ sentAt }: IDataObject, minutes: number): boolean {
		return Date.parse(String(sentAt)) + minutes * minute <= this.clock;
	}
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
				const polled = new Polled(watch, kind, drawn);
				await polled.run(drawn.steps);
				for (const { record, old, items } of polled.records()) {
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
				const polled = new Polled(messageWatch(statuses, stuckAfter), kind, drawn);
				const stuckBefore = polled.before.filter(
					(record) => record.status === 'Sent' && polled.isOlderThan(record, stuckAfter),
				);
				await polled.run(drawn.steps);
				for (const { record, old, items } of polled.records()) {
					const reached = items.filter(({ event }) => !event).map(({ status }) => status);
					expect(new Set(reached).size).toBe(reached.length);
					expect(reached).not.toContain(old?.status);
					if (statuses.includes(String(record.status)) && record.status !== old?.status) {
						expect(reached[reached.length - 1]).toBe(record.status);
					}
					const stuck = items.filter(({ event }) => event === 'message.stuck').length;
					const isStuck = record.status === 'Sent' && polled.isOlderThan(record, stuckAfter);
					const wasStuck = stuckAfter === 0 || stuckBefore.some(({ id }) => id === record.id);
					expect(stuck).toBeLessThanOrEqual(wasStuck ? 0 : 1);
					expect(stuck).toBeGreaterThanOrEqual(isStuck && !wasStuck ? 1 : 0);
				}
				expect(polled.service.requests).toHaveLength(1);
			}),
			runs,
		);
	});
});
