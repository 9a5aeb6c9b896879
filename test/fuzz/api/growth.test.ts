import fc from 'fast-check';
import { sleep, type IDataObject } from 'n8n-workflow';
import { numRuns, patience, seed } from '../../support/fuzz/runs';
import { expectWhole, readers } from '../../support/lists/readers';
import { FakeService, type Order } from '../../support/unit/fakeService';

jest.setTimeout(patience);

/** How many records come into being before each request. */
const growths = fc
	.tuple(
		fc.array(fc.oneof(fc.constant(0), fc.nat(250)), { maxLength: 8 }),
		fc.nat(8),
		fc.constantFrom(0, 100, 200),
	)
	.map(([sizes, at, whole]) => [...sizes.slice(0, at), whole, ...sizes.slice(at)])
	// Two times exactly as much as one page for all of them would show cannot be told from it.
	.filter((sizes) => {
		const sums = sizes.map((_, n) => sizes.slice(0, n + 1).reduce((sum, size) => sum + size));
		return sums.filter((sum, n) => sum > 0 && sizes[n] !== 0 && sum % 100 === 0).length < 2;
	});

/** What pages can tell of a list: its `total` may count more (docs/service.md, section 10.21). */
const totals: Record<string, (listed: number) => IDataObject> = {
	nothing: () => ({}),
	'the records that are listed': (total) => ({ total }),
	'all records': (listed) => ({ total: listed + 5_000 }),
	'all records, and how many are listed': (listed) => ({ total: 10_000, stats: { a: listed } }),
};

describe.each(Object.entries(readers))(
	'who reads %s of a list that grows meanwhile misses nothing',
	(_name, read) => {
		test.each(Object.entries(totals))('pages tell %s', async (_what, told) => {
			await fc.assert(
				fc.asyncProperty(
					fc.constantFrom<Order>('newestFirst', 'oldestFirst'),
					fc.nat(900),
					growths,
					fc.array(fc.nat(3), { maxLength: 12 }),
					async (order, count, sizes, delays) => {
						const service: FakeService = new FakeService({
							order,
							totals: told,
							onRequest: async () => {
								const at = service.requests.length - 1;
								await sleep(delays[at] ?? 0);
								service.add(sizes[at - 1] ?? 0);
							},
						});
						service.add(count);
						await expectWhole(read, service, count);
					},
				),
				{ seed, numRuns: Math.ceil(numRuns / 20) },
			);
		});
	},
);
