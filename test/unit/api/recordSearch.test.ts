import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { Failure } from '../../../nodes/MessagingService/api/failure';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { maxPerEnd, RecordSearch } from '../../../nodes/MessagingService/api/recordSearch';
import { FakeService, type Order } from '../../support/unit/fakeService';

const orders = fc.constantFrom<Order>('newestFirst', 'oldestFirst', 'mixed');

/** A list with so many records, and a search that finds them by their number. */
function searching(count: number, settings: ConstructorParameters<typeof FakeService>[0]) {
	const service = new FakeService(settings);
	service.add(count);
	const search = new RecordSearch(lists.messages, ({ id }) => [id]);
	const find = async (id: number) => {
		search.want(String(id));
		return (await search.find(service.call, String(id)))?.id;
	};
	return { service, search, find };
}

test('every record of a list is found in any order, and no page is read twice', async () => {
	const drawn = fc.record({
		order: orders,
		largest: fc.constantFrom(100, 40, 7),
		count: fc.nat(700),
		/** Without a total, only the pages show where the list ends. */
		totals: fc.constantFrom(undefined, () => ({})),
		wanted: fc.array(fc.integer({ min: 1, max: 800 }), { minLength: 1, maxLength: 8 }),
	});
	await fc.assert(
		fc.asyncProperty(drawn, async ({ count, wanted, largest, ...settings }) => {
			const { service, search, find } = searching(count, { largest, ...settings });
			// The items of a run search at the same time.
			const found = await Promise.all(wanted.map(find));
			expect(found).toEqual(wanted.map((id) => (id <= count ? id : undefined)));
			const offsets = service.requests.map(({ offset }) => offset);
			expect(new Set(offsets).size).toBe(offsets.length);
			expect(offsets.length).toBeLessThanOrEqual(Math.floor(count / largest) + 1);
			if (wanted.some((id) => id > count))
				expect(search.extent).toBe(`The node read all ${count} records of the list.`);
		}),
	);
});

test.each<[number, boolean]>([
	[1, true],
	[10_000, true],
	[10_150, false],
	[20_300, true],
])(
	'of 20,300 records, number %i is found within 10,000 from either end: %j',
	async (id, isFound) => {
		const { service, search, find } = searching(20_300, { order: 'oldestFirst' });
		expect(await find(id)).toBe(isFound ? id : undefined);
		expect(service.requests.length).toBeLessThanOrEqual((2 * maxPerEnd) / 100);
		const extent = 'The node read 20000 of 20300 records, up to 10000 from each end of the list.';
		if (!isFound) expect(search.extent).toBe(extent);
		// The first and the last page are read early.
		if ([1, 20_300].includes(id)) expect(service.requests.length).toBeLessThanOrEqual(3);
	},
);

test('a record is found even if others are added while the list is read', async () => {
	const drawn = fc.record({
		order: fc.constantFrom<Order>('newestFirst', 'oldestFirst'),
		count: fc.integer({ min: 1, max: 900 }),
		wanted: fc.double({ min: 0, max: 1, noNaN: true }),
		coming: fc.array(fc.nat(30), { maxLength: 12 }),
	});
	await fc.assert(
		fc.asyncProperty(drawn, async ({ order, count, wanted, coming }) => {
			const arriving = [...coming];
			const { find, service } = searching(count, {
				order,
				onRequest: () => service.add(arriving.shift() ?? 0),
			});
			const id = Math.ceil(wanted * count) || 1;
			expect(await find(id)).toBe(id);
		}),
	);
});

test('an unreadable page fails only the searches of that moment', async () => {
	let isDown = false;
	const { find } = searching(300, {
		onRequest: () => {
			if (isDown) throw new Failure('Down', { outcome: 'rejected', description: '' });
		},
	});
	expect(await find(300)).toBe(300);
	isDown = true;
	await expect(Promise.all([find(1), find(2)])).rejects.toThrow('Down');
	isDown = false;
	expect(await Promise.all([find(1), find(2), find(301)])).toEqual([1, 2, undefined]);
});

test.each<[totals: IDataObject, largest: number, extent: string]>([
	[
		{ total: 1e9 },
		1,
		'The node read 1000 of 1000000000 records, up to 1000 from each end of the list.',
	],
	[{}, 100, 'The node read the first 10000 records of the list.'],
])('of a list with %j, it is said how far it was read', async (totals, largest, extent) => {
	const { search, find } = searching(201 * largest + 1_000, { largest, totals: () => totals });
	expect(await find(30_000)).toBeUndefined();
	expect(search.extent).toBe(extent);
});

test.each<IDataObject>([{}, { total: 1e9 }])(
	'a list with %j that repeats its page ends',
	async (counts) => {
		const page = { messages: [{ id: 1 }, { id: 2 }], limit: 2, ...counts };
		const search = new RecordSearch(lists.messages, ({ id }) => [id]);
		let requests = 0;
		search.want('3');
		const call = async () => {
			requests++;
			return await Promise.resolve(page);
		};
		expect(await search.find(call, '3')).toBeUndefined();
		expect(search.extent).toBe('The node read all 2 records of the list.');
		expect(requests).toBeLessThanOrEqual(3);
	},
);

test('records without an ID are no matches', async () => {
	const search = new RecordSearch(lists.messages, (record) => [record.providerMessageId]);
	const service = new FakeService();
	service.add(3);
	search.want('undefined');
	expect(await search.find(service.call, 'undefined')).toBeUndefined();
});
