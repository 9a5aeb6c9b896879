import { sleep, type IDataObject } from 'n8n-workflow';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { readNewest } from '../../../nodes/MessagingService/api/newest';
import { readAll } from '../../../nodes/MessagingService/api/readAll';
import type { Call } from '../../../nodes/MessagingService/api/request';
import { expectWhole, readers } from '../../support/lists/readers';
import { FakeService } from '../../support/unit/fakeService';

const query = { status: 'a' };

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

describe.each(Object.entries(readers))('who reads %s of a list', (_name, read) => {
	test.each([2, 3, 4, 5])(
		'misses nothing when a page of records that nothing tells of comes before request %i',
		async (at) => {
			const service: FakeService = new FakeService({
				totals: () => ({ total: 10_000 }),
				onRequest: () => service.requests.length === at && service.add(100),
			});
			service.add(650);
			await expectWhole(read, service, 650);
		},
	);
});

describe('a long way', () => {
	const newest = async ({ call }: FakeService) =>
		await readNewest(call, lists.messages, { limit: Infinity, since: 0 });

	test('of 300 pages is read to its end', async () => {
		const service = new FakeService();
		service.add(30_000);
		expect(await newest(service)).toHaveLength(30_000);
	});

	test('that grows faster than it is read ends', async () => {
		const service: FakeService = new FakeService({ onRequest: () => service.add(250) });
		service.add(250);
		await newest(service);
		// The first page, twice those that were known then, and those of 20,000 records.
		expect(service.requests).toHaveLength(1 + 2 * 4 + 200);
	});
});

test('without a total it reads on until a page is not full', async () => {
	const service = new FakeService({ totals: () => ({}) });
	service.add(250);
	expect(await readAll(service.call, lists.calls, query)).toHaveLength(250);
	expect(service.requests.map(({ page }) => page)).toEqual([1, 2, 3]);
});

test('a record that every page begins with is no sign of one page for all', async () => {
	const service = new FakeService({ totals: () => ({ total: 1_000 }) });
	service.add(500);
	const call: Call = async (request) => {
		const { data } = (await service.call(request)) as { data: IDataObject[] };
		return { data: data.length === 0 ? [] : [{ id: 'first' }, ...data.slice(1)], total: 1_000 };
	};
	expect(await readAll(call, lists.messages, query)).toHaveLength(5 * 99 + 1);
});

test('once the list has changed, no page is taken from those that were read before', async () => {
	const fresh: unknown[] = [];
	const service: FakeService = new FakeService({
		onRequest: () => service.requests.length === 2 && service.add(1),
	});
	service.add(250);
	const call: Call = async (request, options) => {
		fresh.push(options?.fresh);
		return await service.call(request);
	};
	await readAll(call, lists.messages, query);
	expect(fresh).toEqual([false, false, false, true, true, true]);
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
				return await Promise.resolve({
					data: structuredClone(records),
					...(total === undefined ? {} : { total }),
				});
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
