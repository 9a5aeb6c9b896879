import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { callEvents, callRules } from '../../../nodes/MessagingService/polling/callWatch';
import { isReached } from '../../../nodes/MessagingService/polling/messageWatch';
import {
	FakeList,
	FakePoller,
	fakeRules,
	type FakeRecord,
	type Order,
} from '../../support/unit/fakeList';
import { numRuns as wanted, patience, seed } from '../../support/fuzz/runs';

const pageSize = 3;

/** A history has many polls, each of several pages. */
const runs = { seed, numRuns: Math.ceil(wanted / 10) };

jest.setTimeout(patience);

const order = fc.constantFrom<Order>('newestFirst', 'oldestFirst', 'mixed');

/** Something that happens to the service. */
const happening = fc.oneof(
	fc.record({
		kind: fc.constant('add' as const),
		count: fc.integer({ min: 1, max: 8 }),
		later: fc.integer({ min: -3, max: 3 }),
		place: fc.integer({ min: 0, max: 9 }),
	}),
	fc.record({ kind: fc.constant('move' as const), which: fc.nat(99), by: fc.nat(9) }),
);

const step = fc.oneof(
	{ weight: 4, arbitrary: happening },
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('poll' as const),
			/** What happens before the pages of this poll. */
			meanwhile: fc.array(fc.option(happening), { maxLength: 4 }),
			failsBefore: fc.option(fc.nat(3), { freq: 5 }),
		}),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Statuses that can follow each other; the first is every record's first. */
type Transitions = Record<string, string[]>;

const callTransitions: Transitions = {
	initiated: ['in-progress', 'answered', 'no-answer', 'failed', 'success'],
	'in-progress': ['answered', 'initiated', 'failed'],
	answered: ['success', 'failed', 'in-progress'],
};
const messageTransitions: Transitions = {
	Sent: ['Delivered', 'Failed', 'Read'],
	Delivered: ['Read'],
};
const flappingTransitions: Transitions = {
	Sent: ['Delivered', 'Read'],
	Delivered: ['Sent', 'Read'],
	Read: ['Sent', 'Delivered'],
};

function happen(list: FakeList, transitions: Transitions, what: Happening): void {
	const [first = ''] = Object.keys(transitions);
	if (what.kind === 'add') {
		for (let n = 0; n < what.count; n++) list.add(first, what);
		return;
	}
	const movable = list.records.filter(({ status }) => transitions[status]);
	const record = movable[what.which % movable.length];
	const next = record && transitions[record.status];
	if (record && next) record.status = next[what.by % next.length] ?? first;
}

/** Lets a history happen and gives all items in the order they were emitted. */
async function emitted(
	{ list, poller, transitions }: { list: FakeList; poller: FakePoller; transitions: Transitions },
	steps: Step[],
): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	for (const one of steps) {
		if (one.kind === 'restart') poller.restart();
		else if (one.kind !== 'poll') happen(list, transitions, one);
		else {
			const failure = new Error('no connection');
			const poll = poller.poll((page) => {
				if (page === one.failsBefore) throw failure;
				const what = one.meanwhile[page];
				if (what) happen(list, transitions, what);
			});
			const given = await poll.catch((error: unknown) => {
				expect(error).toBe(failure);
				return [];
			});
			items.push(...given);
		}
	}
	// Whatever happened while a page was read is found when things are quiet.
	for (let quiet = 0; quiet < 3; quiet++) items.push(...(await poller.poll()));
	list.reads = 0;
	expect(await poller.poll()).toEqual([]);
	return items;
}

function itemsById(items: IDataObject[]): Map<unknown, IDataObject[]> {
	const byId = new Map<unknown, IDataObject[]>();
	for (const item of items) byId.set(item.id, [...(byId.get(item.id) ?? []), item]);
	return byId;
}

/** A list with records from before the starting point. */
async function start(
	{ order: how, older }: { order: Order; older: string[] },
	makePoller: (list: FakeList) => FakePoller,
): Promise<{ list: FakeList; poller: FakePoller; before: Map<string, FakeRecord> }> {
	const list = new FakeList(how, pageSize);
	for (const status of older) list.add(status, { later: 5, place: 5 });
	const poller = makePoller(list);
	expect(await poller.poll()).toEqual([]);
	return {
		list,
		poller,
		before: new Map(list.records.map((record) => [record.id, { ...record }])),
	};
}

const olderOf = (transitions: Transitions) =>
	fc.array(fc.constantFrom(...Object.keys(transitions), ...Object.values(transitions).flat()), {
		maxLength: 14,
	});

describe('any history of calls', () => {
	const rules = fakeRules({ window: 1_000, hasStats: false, mustBeRead: callRules.mustBeRead });

	test('every change is emitted exactly once', async () => {
		await fc.assert(
			fc.asyncProperty(
				order,
				olderOf(callTransitions),
				fc.array(step, { maxLength: 30 }),
				async (how, older, steps) => {
					const { list, poller, before } = await start(
						{ order: how, older },
						(fake) => new FakePoller(fake, rules, callEvents),
					);
					const items = itemsById(
						await emitted({ list, poller, transitions: callTransitions }, steps),
					);
					for (const { id, status } of list.records) {
						const events = items.get(id) ?? [];
						const old = before.get(id);
						const count = (name: string) => events.filter(({ event }) => event === name).length;
						expect(count('started')).toBe(old ? 0 : 1);

						// Each change starts where the one before has ended, and the last leads to the present.
						let last = old?.status ?? 'initiated';
						for (const { event, previousStatus, status: next } of events) {
							if (event !== 'statusChanged') continue;
							expect(previousStatus).toBe(last);
							last = String(next);
						}
						expect(last).toBe(status);

						const isOver = (name?: string) => name !== undefined && !callTransitions[name];
						expect(count('ended')).toBe(isOver(status) && !isOver(old?.status) ? 1 : 0);
					}
				},
			),
			runs,
		);
	});
});

describe('any history of messages', () => {
	const statuses = ['Delivered', 'Read', 'Failed'];
	const makePoller = (list: FakeList) =>
		new FakePoller(list, fakeRules({ window: 1_000 }), (change) =>
			isReached(change, statuses) ? [change.record] : [],
		);

	test('every message is emitted once with each status that a poll could see', async () => {
		await fc.assert(
			fc.asyncProperty(
				order,
				olderOf(messageTransitions),
				fc.array(step, { maxLength: 30 }),
				async (how, older, steps) => {
					const { list, poller, before } = await start({ order: how, older }, makePoller);
					const items = itemsById(
						await emitted({ list, poller, transitions: messageTransitions }, steps),
					);
					for (const { id, status } of list.records) {
						const reached = (items.get(id) ?? []).map((item) => item.status);
						expect(new Set(reached).size).toBe(reached.length);
						expect(reached).not.toContain(before.get(id)?.status);
						if (statuses.includes(status) && status !== before.get(id)?.status) {
							expect(reached[reached.length - 1]).toBe(status);
						}
					}
					expect(list.reads).toBe(1);
				},
			),
			runs,
		);
	});

	test('a status that goes back and forth is never emitted twice', async () => {
		await fc.assert(
			fc.asyncProperty(order, fc.array(step, { maxLength: 30 }), async (how, steps) => {
				const { list, poller } = await start({ order: how, older: ['Sent'] }, makePoller);
				const transitions = flappingTransitions;
				for (const reached of itemsById(
					await emitted({ list, poller, transitions }, steps),
				).values()) {
					expect(new Set(reached.map(({ status }) => status)).size).toBe(reached.length);
				}
			}),
			runs,
		);
	});
});

describe('a window smaller than the list', () => {
	test.each<Order>(['newestFirst', 'oldestFirst'])(
		'emits every new record once, listed %s',
		async (how) => {
			await fc.assert(
				fc.asyncProperty(
					fc.array(fc.tuple(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 1, max: 2 })), {
						maxLength: 15,
					}),
					fc.integer({ min: 0, max: 40 }),
					async (bursts, older) => {
						const list = new FakeList(how, pageSize);
						for (let n = 0; n < older; n++) list.add('Sent');
						const poller = new FakePoller(list, fakeRules({ window: 10 }), ({ record }) => [
							record,
						]);
						expect(await poller.poll()).toEqual([]);
						for (const [count, later] of bursts) {
							const added = Array.from({ length: count }, () => list.add('Sent', { later }).id);
							expect((await poller.poll()).map(({ id }) => id)).toEqual(added);
						}
					},
				),
				runs,
			);
		},
	);
});
