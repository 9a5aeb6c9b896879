import fc from 'fast-check';
import { differenceBy, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { lists, timeIn } from '../../../nodes/MessagingService/api/lists';
import { readNewest } from '../../../nodes/MessagingService/api/newest';
import { numRuns, patience, seed } from '../../support/fuzz/runs';
import { FakeService, type Order } from '../../support/unit/fakeService';
import { turns } from '../../support/unit/sends';

jest.setTimeout(patience);

const start = 1_700_000_000_000;

const some = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(8), fc.nat(250));
/** What happens to a list between two pages of a reading. */
const change = fc.record({
	leaving: some,
	/** The first that leaves, as a share of the list. */
	place: fc.double({ min: 0, max: 1, noNaN: true }),
	coming: some,
	/** How many from there on change, which moves them in the order of the last change. */
	changing: some,
});
type Change = typeof change extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** The changes of a reading, page by page; it may have more pages than are drawn. */
const changes = fc.array(change, { maxLength: 9 });

/** The counts of pages for so many records: `total` may count others too (docs/service.md, section 10.21). */
const countings: Record<string, (listed: number) => IDataObject> = {
	'the records that are listed': (total) => ({ total }),
	'more records than are listed': (listed) => ({ total: listed + 450 }),
	'more records, and how many have the status': (a) => ({ total: a + 450, stats: { a, b: 450 } }),
};

const day = 24 * 60 * 60 * 1_000;

const drawn = fc.record({
	order: fc.constantFrom<Order>('newestFirst', 'oldestFirst', 'lastChange', 'mixed'),
	largest: fc.constantFrom(100, 100, 100, 40),
	count: fc.nat(900),
	/** Milliseconds between two records, and by how many they are out of order. */
	every: fc.constantFrom(1, 1_000, 90_000),
	jitter: fc.constantFrom(0, 30_000),
	/** The record behind which nothing came for a day. */
	pause: fc.option(fc.nat(900), { freq: 2 }),
	status: fc.constantFrom(undefined, 'a'),
	limit: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 400 })),
	since: fc.option(fc.nat(900), { freq: 2 }),
	until: fc.option(fc.nat(900), { freq: 2 }),
	/** The one reading at once and the three one after another. */
	readings: fc.tuple(changes, changes, changes, changes),
	delays: fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
});

/** Those that the counts show, and none in the last reading with losses. */
function visible(readings: Change[][], status: string | undefined): Change[][] {
	return readings.map((pages, reading) =>
		pages.map(({ leaving, place, coming, changing }) => {
			if (reading === 3) return { leaving: 0, place, coming, changing: 0 };
			// As many that come as leave change no count.
			if (status !== undefined)
				return { leaving, place, coming: coming === leaving ? 0 : coming, changing };
			// Without a status none leave a list; if they do, their number falls.
			const count = leaving > coming ? { leaving, coming: 0 } : { leaving: 0, coming };
			return { ...count, place, changing };
		}),
	);
}

describe.each(Object.entries(countings))('pages count %s', (_what, totals) => {
	test('whatever comes and leaves meanwhile, nothing that stays is missed or repeated', async () => {
		await fc.assert(
			fc.asyncProperty(drawn, async ({ order, largest, count, every, jitter, pause, ...rest }) => {
				const { status, limit, since, until, readings, delays } = rest;
				const changesOf = visible(readings, status);
				const paused = (id: number) => (pause !== null && id > pause ? day : 0);
				const timeOf = (id: number) => id * every + ((id * 7_919) % (jitter + 1)) + paused(id);
				const left = new Set<unknown>();
				let reading = -1;
				let now = start + 10 * 365 * day;
				let pages: Change[] = [];
				const service: FakeService = new FakeService({
					order,
					largest,
					totals,
					onRequest: ({ offset }) => {
						if (offset === 0) {
							pages = [...(changesOf[++reading] ?? [])];
							return;
						}
						const own = reading;
						const { leaving = 0, place = 0, coming = 0, changing = 0 } = pages.shift() ?? {};
						const change = () => {
							if (own !== reading) return;
							const at = Math.floor(place * service.records.length);
							for (const { id } of service.records.splice(at, leaving)) left.add(id);
							const changed = service.records.slice(at, at + changing);
							service.add(coming, timeOf);
							// What comes has changed last, whatever time it says it was sent.
							for (const record of [...changed, ...service.records.slice(-coming || Infinity)])
								record.updatedAt = new Date(now++).toISOString();
						};
						const delay = delays[service.requests.length % delays.length] ?? 0;
						return delay > 0 ? turns(delay).then(change) : change();
					},
				});
				service.add(count, timeOf);
				const staying = [...service.records];
				const from = since === null ? -Infinity : start + since * every + paused(since);
				const to = until === null ? Infinity : start + until * every + paused(until);
				const query = status === undefined ? undefined : { status };
				const selection = { query, limit, since: from, until: to };
				const records = await readNewest(service.call, lists.messages, selection);

				const times = records.map((record) => timeIn(record, 'sentAt'));
				expect(times).toEqual([...times].sort((a, b) => b - a));
				expect(times.filter((time) => time < from || time > to)).toEqual([]);
				expect(records.length).toBeLessThanOrEqual(limit);
				expect(uniqBy(records, 'id')).toHaveLength(records.length);
				// With a limit, all that is newer than the oldest one given.
				const oldest = records.length < limit ? -Infinity : (times.at(-1) ?? Infinity);
				const wanted = staying.filter((record) => {
					const time = timeIn(record, 'sentAt');
					return time >= from && time <= to && time > oldest && !left.has(record.id);
				});
				expect(differenceBy(wanted, records, 'id')).toEqual([]);
				expect(reading).toBeLessThanOrEqual(3);
			}),
			{ seed, numRuns: Math.ceil(numRuns / 10) },
		);
	});
});
