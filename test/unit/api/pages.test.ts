import fc from 'fast-check';
import { sleep, type IDataObject } from 'n8n-workflow';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { readNewest } from '../../../nodes/MessagingService/api/newest';
import { readAll } from '../../../nodes/MessagingService/api/pages';
import { FakeService, type Order } from '../../support/unit/fakeService';

const query = { status: 'a' };

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

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

test('reads all pages in order, five at once after the first', async () => {
	let running = 0;
	let mostAtOnce = 0;
	const service = new FakeService({
		onRequest: async () => {
			mostAtOnce = Math.max(mostAtOnce, ++running);
			await sleep(1);
			running--;
		},
	});
	service.add(1_234);
	const records = await readAll(service.call, lists.messages, query);
	expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 1_234 }, (_, i) => 1_234 - i));
	expect(service.requests).toHaveLength(13);
	expect(service.requests[0]).toEqual({ status: 'a', limit: 100, offset: 0 });
	expect(mostAtOnce).toBe(5);
});

test.each(['newestFirst', 'oldestFirst'] as const)(
	'a list that grows while it is read, %s: nothing is repeated and none is missed',
	async (order) => {
		const service: FakeService = new FakeService({ order, onRequest: () => service.add(7) });
		service.add(300);
		const records = await readAll(service.call, lists.messages, query);
		const ids = records.map(({ id }) => Number(id));
		expect(new Set(ids).size).toBe(ids.length);
		for (let id = 1; id <= 300; id++) expect(ids).toContain(id);
	},
);

test('a page that is answered before an earlier one hides no record', async () => {
	let last = 0;
	const service: FakeService = new FakeService({
		onRequest: async ({ offset }) => {
			last++;
			// The third page is answered first; then the list grows.
			if (last === 2) {
				await sleep(20);
				service.add(50);
			}
			if (last > 2 && offset === 300) await sleep(0);
		},
	});
	service.add(300);
	const records = await readAll(service.call, lists.messages, query);
	const ids = records.map(({ id }) => Number(id));
	for (let id = 1; id <= 300; id++) expect(ids).toContain(id);
});

describe('a list that grows while it is read hides none of what it had', () => {
	/** What pages can tell of a list: its `total` may count more (docs/service.md, section 10.21). */
	const totals: Record<string, (listed: number) => IDataObject> = {
		nothing: () => ({}),
		'the records that are listed': (total) => ({ total }),
		'all records': (listed) => ({ total: listed + 5_000 }),
		'all records, and how many are listed': (listed) => ({ total: 10_000, stats: { listed } }),
	};
	const readers: Record<string, (service: FakeService) => Promise<IDataObject[]>> = {
		all: async ({ call }) => await readAll(call, lists.messages, query),
		'the newest': async ({ call }) =>
			await readNewest(call, lists.messages, { limit: Infinity, since: 0 }),
	};

	async function expectWhole(read: (typeof readers)[string], service: FakeService, count: number) {
		const ids = (await read(service)).map(({ id }) => Number(id));
		expect(new Set(ids).size).toBe(ids.length);
		expect(numbers(count).filter((id) => !ids.includes(id))).toEqual([]);
	}

	describe.each(Object.entries(readers))('from who reads %s', (_name, read) => {
		test.each([2, 3, 4, 5])(
			'a page of records that nothing tells of, before request %i',
			async (at) => {
				const service: FakeService = new FakeService({
					totals: () => ({ total: 10_000 }),
					onRequest: () => service.requests.length === at && service.add(100),
				});
				service.add(650);
				await expectWhole(read, service, 650);
			},
		);

		test.each(Object.entries(totals))(
			'drawn growth and delays, pages tell %s',
			async (_what, told) => {
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
					{ numRuns: Number(process.env.HISTORIES ?? 40) },
				);
			},
		);
	});
});

test('without a total it reads on until a page is not full', async () => {
	const service = new FakeService({ totals: () => ({}) });
	service.add(250);
	expect(await readAll(service.call, lists.calls, query)).toHaveLength(250);
	expect(service.requests.map(({ page }) => page)).toEqual([1, 2, 3]);
});

test('an empty list is one request', async () => {
	const service = new FakeService();
	expect(await readAll(service.call, lists.calls, query)).toEqual([]);
	expect(service.requests).toHaveLength(1);
});

describe('a list that comes to no end by itself', () => {
	const records = [{ id: 1 }, { sentAt: '2026-01-01T00:00:00Z' }];
	const totals = [5_000, Number.MAX_SAFE_INTEGER, 1e300, undefined];

	test.each(totals)(
		'one page for all, with a total of %p, is read in few requests',
		async (total) => {
			let requests = 0;
			const call = async () => {
				requests++;
				return await Promise.resolve({ data: records, ...(total === undefined ? {} : { total }) });
			};
			expect(await readAll(call, lists.messages, query)).toEqual(records);
			// The pages that were asked for at the same time as the second one.
			expect(requests).toBeLessThanOrEqual(6);
		},
	);

	test('a total that counts more than is listed asks for no page behind an empty one', async () => {
		const service = new FakeService({ totals: () => ({ total: 10_000 }) });
		service.add(250);
		expect(await readAll(service.call, lists.messages, query)).toHaveLength(250);
		expect(service.requests.length).toBeLessThanOrEqual(8);
	});
});
