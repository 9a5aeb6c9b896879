import fc from 'fast-check';
import { sleep, type IDataObject } from 'n8n-workflow';
import { lists, readPage, timeIn } from '../../../nodes/MessagingService/api/lists';
import { readNewest, type Selection } from '../../../nodes/MessagingService/api/newest';
import { Order as ListOrder } from '../../../nodes/MessagingService/api/order';
import { FakeService, type Order } from '../../support/unit/fakeService';

const start = 1_700_000_000_000;

const idsOf = async (service: FakeService, selection: Selection) =>
	(await readNewest(service.call, lists.messages, selection)).map(({ id }) => Number(id));

/** Numbers from `first` down, as many as there are. */
const down = (first: number, count: number) =>
	Array.from({ length: count }, (_, index) => first - index);

describe('a limit gives the newest, newest first', () => {
	test.each<[Order, number, number]>([
		['newestFirst', 1, 1],
		['newestFirst', 50, 1],
		['newestFirst', 250, 3],
		['oldestFirst', 1, 2],
		['oldestFirst', 50, 2],
		['oldestFirst', 250, 4],
	])('%s, limit %i: %i requests', async (order, limit, requests) => {
		const service = new FakeService({ order });
		service.add(1_000);
		expect(await idsOf(service, { limit })).toEqual(down(1_000, limit));
		expect(service.requests).toHaveLength(requests);
	});

	test('without any order the list is read whole', async () => {
		const service = new FakeService({ order: 'mixed' });
		service.add(1_000);
		expect(await idsOf(service, { limit: 10 })).toEqual(down(1_000, 10));
		expect(service.requests).toHaveLength(50);
	});

	test('without a limit all of them', async () => {
		const service = new FakeService({ order: 'oldestFirst' });
		service.add(230);
		expect(await idsOf(service, { limit: Infinity })).toEqual(down(230, 230));
	});

	test('without a limit all that match, several pages at once', async () => {
		let running = 0;
		let mostAtOnce = 0;
		const service = new FakeService({
			onRequest: async () => {
				mostAtOnce = Math.max(mostAtOnce, ++running);
				await sleep(1);
				running--;
			},
		});
		service.add(730);
		const matches = ({ id }: IDataObject) => Number(id) > 600 || id === 1;
		expect(await idsOf(service, { limit: Infinity, matches })).toEqual([...down(730, 130), 1]);
		expect(mostAtOnce).toBe(5);
	});

	test('equal times on the first page are looked at from the other end', async () => {
		const service = new FakeService({ order: 'oldestFirst' });
		service.add(150, () => 0);
		service.add(30, (id) => id);
		expect(await idsOf(service, { limit: 5 })).toEqual(down(180, 5));
	});
});

describe('the order is known', () => {
	const offsets = ({ requests }: FakeService) => requests.map(({ offset }) => offset);

	test('although the last record of the first page is out of its place', async () => {
		const service = new FakeService();
		service.add(1_000, (id) => (id === 901 ? 1_001 : id));
		const others = down(1_000, 120).filter((id) => id !== 901);
		expect(await idsOf(service, { limit: 120 })).toEqual([901, ...others]);
		expect(offsets(service)).toEqual([0, 100, 200]);
	});

	test('by no end that nothing tells, where all on the first page have one time', async () => {
		const service = new FakeService({ totals: () => ({}) });
		service.add(250, () => 0);
		expect(await idsOf(service, { limit: 100, until: start - 1 })).toEqual([]);
		expect(offsets(service)).toEqual([0, 100, 200]);
	});
});

describe('nothing is read that cannot match', () => {
	test.each<[Order, number]>([
		['newestFirst', 2],
		['oldestFirst', 3],
	])('since a moment, %s: %i requests', async (order, requests) => {
		const service = new FakeService({ order });
		service.add(1_000);
		const selection = { limit: Infinity, since: start + 890 };
		expect(await idsOf(service, selection)).toEqual(down(1_000, 111));
		expect(service.requests).toHaveLength(requests);
	});

	test.each<[Order, number]>([
		['newestFirst', 3],
		['oldestFirst', 2],
	])('until a moment, %s: %i requests', async (order, requests) => {
		const service = new FakeService({ order });
		service.add(1_000);
		expect(await idsOf(service, { limit: Infinity, until: start + 110 })).toEqual(down(110, 110));
		expect(service.requests).toHaveLength(requests);
	});

	test('what there can be one of is not looked for again', async () => {
		const service = new FakeService();
		service.add(1_000);
		const selection = { limit: 50, atMost: 1, matches: ({ id }: { id?: unknown }) => id === 850 };
		expect(await idsOf(service, selection)).toEqual([850]);
		expect(service.requests).toHaveLength(2);
	});
});

test.each<Order>(['newestFirst', 'oldestFirst'])(
	'a list that grows while it is read, %s: the newest are without a gap',
	async (order) => {
		const service: FakeService = new FakeService({ order, onRequest: () => service.add(30) });
		service.add(1_000);
		const ids = await idsOf(service, { limit: 200 });
		expect(ids).toEqual(down(ids[0] ?? 0, 200));
		expect(ids[0]).toBeGreaterThanOrEqual(1_000);
	},
);

test.each<[Order, number]>([
	['newestFirst', 250],
	['oldestFirst', 50],
])('a record that leaves a list takes no other with it: %s', async (order, place) => {
	const service: FakeService = new FakeService({
		order,
		onRequest: () => service.requests.length === 2 && service.records.splice(place, 1),
	});
	service.add(301);
	const ids = await idsOf(service, { limit: Infinity, since: start });
	expect([...ids].sort((a, b) => b - a)).toEqual(down(301, 301));
});

test('a record that leaves the list while it is read takes no other with it', async () => {
	const service: FakeService = new FakeService({
		onRequest: ({ offset }) => {
			if (offset === 100 && service.records.length === 300) service.records.splice(250, 5);
		},
	});
	service.add(300);
	const ids = await idsOf(service, { limit: 250 });
	const left = service.records.map(({ id }) => Number(id)).reverse();
	expect(ids.filter((id) => left.includes(id))).toEqual(left.slice(0, ids.length - 5));
});

test('a record that leaves the list, so that its last page is empty, hides none', async () => {
	const service: FakeService = new FakeService({
		onRequest: ({ offset }) => {
			if (offset === 100 && service.records.length === 101) service.records.splice(100, 1);
		},
	});
	service.add(101);
	const ids = await idsOf(service, { limit: Infinity, since: start });
	expect([...ids].sort((a, b) => b - a)).toEqual(down(101, 101));
});

test('drawn growth: what was in a list before it was read is found, in whatever order', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom<Order>('newestFirst', 'oldestFirst', 'mixed'),
			fc.integer({ min: 0, max: 500 }),
			fc.array(fc.nat(120), { maxLength: 8 }),
			async (order, count, growth) => {
				const service: FakeService = new FakeService({
					order,
					onRequest: () => service.add(growth[service.requests.length - 2] ?? 0),
				});
				service.add(count);
				fc.pre(order !== 'mixed' || (await looksMixed(service, 100)));
				service.requests.length = 0;
				const ids = new Set(await idsOf(service, { limit: Infinity, since: start }));
				expect(down(count, count).filter((id) => !ids.has(id))).toEqual([]);
			},
		),
	);
});

/** Whether the first page shows that a list has no order: one that looks ordered is taken for it. */
async function looksMixed({ call }: FakeService, limit: number): Promise<boolean> {
	const size = Math.min(100, Math.max(20, limit));
	const { records } = await readPage(call, lists.messages, undefined, { size });
	return [false, true].every((isRising) => {
		const order = new ListOrder((record) => timeIn(record, 'sentAt'));
		order.add(records, isRising);
		return order.frontier === Infinity;
	});
}

test('drawn lists: the newest that match, in whatever order, with times that are nearly in order', async () => {
	const order = fc.constantFrom<Order>('newestFirst', 'oldestFirst', 'mixed');
	await fc.assert(
		fc.asyncProperty(
			order,
			fc.boolean(),
			fc.integer({ min: 0, max: 600 }),
			fc.integer({ min: 1, max: 300 }),
			fc.integer({ min: 0, max: 3 }),
			fc.option(fc.integer({ min: 0, max: 600 })),
			fc.option(fc.integer({ min: 0, max: 600 })),
			async (listOrder, tellsTotal, count, limit, jitter, from, to) => {
				const service = new FakeService({
					order: listOrder,
					...(tellsTotal ? {} : { totals: () => ({}) }),
				});
				service.add(count, (id) => 10 * id + ((id * 31) % (jitter + 1)));
				const since = from === null ? undefined : start + 10 * from;
				const until = to === null ? undefined : start + 10 * to;
				fc.pre(listOrder !== 'mixed' || (await looksMixed(service, limit)));
				const records = await readNewest(service.call, lists.messages, { limit, since, until });
				const timeOf = (record: (typeof records)[0]) => timeIn(record, 'sentAt');
				const wanted = service.records
					.filter(
						(record) => timeOf(record) >= (since ?? 0) && timeOf(record) <= (until ?? Infinity),
					)
					.sort((a, b) => timeOf(b) - timeOf(a))
					.slice(0, limit);
				expect(records).toEqual(wanted);
			},
		),
		{ examples: [['mixed', true, 481, 1, 0, null, null]] },
	);
});

test.each([
	['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
	['2026-01-31T12:00:00+05:30', '2026-01-31T06:30:00.000Z'],
	['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
	['2026-01-31 12:00:00.5', '2026-01-31T12:00:00.500Z'],
	[1_769_860_800_000, '2026-01-31T12:00:00.000Z'],
	['soon', '1970-01-01T00:00:00.000Z'],
	[undefined, '1970-01-01T00:00:00.000Z'],
])('the time %j is %s on every machine', (time, iso) => {
	expect(new Date(timeIn({ time }, 'time')).toISOString()).toBe(iso);
});

test('one page for all, whatever its times and the total, is read in few requests', async () => {
	const record = fc.record(
		{ id: fc.integer({ max: 3 }), sentAt: fc.integer({ min: start, max: start + 5 }) },
		{ requiredKeys: [] },
	);
	const selection = fc.record(
		{
			limit: fc.constantFrom(1, 50, Infinity),
			since: fc.constantFrom(0, start),
			until: fc.constantFrom(start + 2, start + 9),
		},
		{ requiredKeys: ['limit'] },
	);
	await fc.assert(
		fc.asyncProperty(
			fc.array(record, { maxLength: 101 }),
			fc.oneof(fc.nat(), fc.double(), fc.constant(undefined)),
			selection,
			async (messages, total, chosen) => {
				let requests = 0;
				const call = async () => {
					requests++;
					return await Promise.resolve({ messages, total });
				};
				await readNewest(call, lists.messages, chosen);
				// A search for the end halves the pages.
				expect(requests).toBeLessThanOrEqual(60);
			},
		),
		{ numRuns: 300 },
	);
});
