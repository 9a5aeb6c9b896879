import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { numRuns, patience, seed } from '../../support/fuzz/runs';
import { readers } from '../../support/lists/readers';
import { FakeService, type Order } from '../../support/unit/fakeService';

jest.setTimeout(patience);

/** What happens to a list before a request. */
interface Change {
	leaving: number;
	/** The first that leaves, as a share of the list. */
	place: number;
	coming: number;
}

const quiet: Change = { leaving: 0, place: 0, coming: 0 };

const change: fc.Arbitrary<Change> = fc
	.record({
		leaving: fc.oneof(fc.nat(10), fc.nat(250)),
		place: fc.double({ min: 0, max: 1, noNaN: true }),
		coming: fc.oneof(fc.constant(0), fc.nat(250)),
	})
	// Where as many come as leave at once, no count tells of it.
	.filter(({ leaving, coming }) => leaving === 0 || leaving !== coming);

/** Changes before single requests, or before each of many, as while a campaign is sent. */
const changes = fc.oneof(
	fc.array(fc.oneof(fc.constant(quiet), change), { maxLength: 12 }),
	fc
		.tuple(change, fc.integer({ min: 1, max: 60 }))
		.map(([one, times]) => Array.from({ length: times }, () => one)),
);

/** What comes meanwhile moves one back that was to be read again. */
const examples: Array<[Order, number, Change[]]> = [
	[
		'newestFirst',
		250,
		[
			{ leaving: 1, place: 0.9, coming: 0 },
			{ ...quiet, coming: 1 },
		],
	],
];

/** What pages tell of those with the status: `total` may count all (docs/service.md, section 10.21). */
const totals: Record<string, (listed: number) => IDataObject> = {
	'the records that are listed': (total) => ({ total }),
	'more records than are listed': (listed) => ({ total: listed + 5_000 }),
	'all records, and how many have the status': (a) => ({ total: 10_000, stats: { a, b: 9 } }),
};

const pagesFor = (records: number) => Math.ceil(records / 100);

/** The oldest are read where others come: counts tell the difference alone. */
const oneAtOnce = (one: Change): Change => (one.leaving > 0 ? { ...one, coming: 0 } : one);

describe.each(Object.entries(readers))(
	'who reads %s of a list that records leave',
	(name, read) => {
		test.each(Object.entries(totals))(
			'misses none that stays: pages tell %s',
			async (_what, told) => {
				await fc.assert(
					fc.asyncProperty(
						fc.constantFrom<Order>('newestFirst', 'oldestFirst'),
						fc.nat(900),
						changes,
						async (order, count, allDrawn) => {
							const drawn = name === 'the oldest' ? allDrawn.map(oneAtOnce) : allDrawn;
							const left = new Set<unknown>();
							const service: FakeService = new FakeService({
								order,
								totals: told,
								onRequest: () => {
									const { leaving, place, coming } = drawn[service.requests.length - 2] ?? quiet;
									const start = Math.floor(place * service.records.length);
									for (const { id } of service.records.splice(start, leaving)) left.add(id);
									service.add(coming);
								},
							});
							service.add(count);
							const ids = (await read(service)).map(({ id }) => Number(id));
							expect(new Set(ids).size).toBe(ids.length);
							const stayed = Array.from({ length: count }, (_, n) => n + 1).filter(
								(id) => !left.has(id),
							);
							expect(stayed.filter((id) => !ids.includes(id))).toEqual([]);
							const happened = drawn.slice(0, service.requests.length);
							const sum = (of: (one: Change) => number) =>
								happened.map(of).reduce((a, b) => a + b, 0);
							const most =
								3 * pagesFor(count + sum(({ coming }) => coming)) +
								2 * sum(({ leaving }) => pagesFor(leaving)) +
								20;
							expect(service.requests.length).toBeLessThanOrEqual(most);
						},
					),
					{ seed, numRuns: Math.ceil(numRuns / 5), examples },
				);
			},
		);
	},
);
