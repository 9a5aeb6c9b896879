import { sleep, type IDataObject } from 'n8n-workflow';
import { lists, timeIn } from '../../../nodes/MessagingService/api/lists';
import {
	newRecordFilter,
	readNewest,
	type Selection,
} from '../../../nodes/MessagingService/api/newest';
import type { Call } from '../../../nodes/MessagingService/api/client';
import { FakeService, type Order } from '../../support/unit/fakeService';

const start = 1_700_000_000_000;
const minute = 60_000;

const idsOf = async (service: FakeService, selection: Selection) =>
	(await readNewest(service.call, lists.messages, selection)).map(({ id }) => Number(id));

/** Numbers from `first` down, as many as there are. */
const down = (first: number, count: number) =>
	Array.from({ length: count }, (_, index) => first - index);

/** A list with a record a minute. */
function listOf(count: number, order: Order = 'newestFirst'): FakeService {
	const service = new FakeService({ order });
	service.add(count, (id) => id * minute);
	return service;
}

describe('reading ends one page behind what is wanted', () => {
	const isThat = ({ id }: IDataObject) => id === 850;

	test.each<[string, Selection, number[], number]>([
		['the newest', { limit: 1 }, [1_000], 2],
		['more than a page', { limit: 150 }, down(1_000, 150), 3],
		['those since a moment', { limit: Infinity, since: start + 890 * minute }, down(1_000, 111), 3],
		['none', { limit: Infinity, since: start + 1_002 * minute }, [], 1],
		['one that is alone', { limit: 50, matches: isThat, stopsAt: () => true }, [850], 2],
	])('%s', async (_what, selection, ids, requests) => {
		const service = listOf(1_000);
		expect(await idsOf(service, selection)).toEqual(ids);
		expect(service.requests).toHaveLength(requests);
	});

	test('but not before the oldest one is a minute older', async () => {
		const service = new FakeService();
		service.add(500, (id) => id * 200);
		expect(await idsOf(service, { limit: 10 })).toEqual(down(500, 10));
		// 100 records are 20 seconds.
		expect(service.requests).toHaveLength(5);
	});
});

test('a list is read again three times at most, and no page then from those of before', async () => {
	const fresh: unknown[] = [];
	const service: FakeService = new FakeService({
		onRequest: ({ offset }) => offset === 100 && service.records.splice(0, 1),
	});
	service.add(150);
	const call: Call = async (request, options) => {
		fresh.push(options?.fresh);
		return await service.call(request);
	};
	expect(await readNewest(call, lists.messages, { limit: Infinity })).toHaveLength(149);
	expect(fresh).toEqual([false, false, true, true, true, true, true, true]);
});

test.each([
	[5_000, false],
	[100, true],
	[undefined, false],
	[undefined, true],
])('one page for all, of %p in total (moving: %s), ends soon', async (...of) => {
	const [total, isMoving] = of;
	const data = Array.from({ length: 100 }, (_, id) => ({ id }));
	let calls = 0;
	const call = async () => {
		// The pages that were requested at the same time as the second one.
		if (++calls > 6) throw new Error('There is no end');
		return await Promise.resolve({ data, total, stats: isMoving && calls > 1 });
	};
	expect(await readNewest(call, lists.messages, { limit: Infinity })).toHaveLength(100);
});

test.each([1e9, undefined])('a list of %p records that never ends is given up', async (total) => {
	let calls = 0;
	const call = async () => await Promise.resolve({ messages: [{ id: ++calls }], limit: 1, total });
	await expect(readNewest(call, lists.messages, { limit: Infinity })).rejects.toMatchObject({
		message: 'The list did not end after 10000 pages',
		description: expect.stringContaining('Set a limit or filters'),
	});
	expect(calls).toBe(10_000);
});

const totals = [{}, { total: null }, { total: -1 }, { total: 100 }];

test.each(totals)('%j: it is read until a page is not full', async (own) => {
	const service = new FakeService({ totals: () => own });
	service.add(250);
	expect(await idsOf(service, { limit: Infinity })).toHaveLength(250);
	expect(service.requests.map(({ offset }) => offset)).toEqual([0, 100, 200]);
});

test('a page that fails fails the list, whatever becomes of the others', async () => {
	const service = new FakeService({
		onRequest: async ({ offset = 0 }) => {
			await sleep(offset / 100);
			if (offset > 100) throw new Error(`No page at ${offset}`);
		},
	});
	service.add(700);
	await expect(idsOf(service, { limit: Infinity })).rejects.toThrow('No page at 200');
	await sleep(10);
});

test.each<[string, Partial<Selection>, number[]]>([
	['all are wanted', {}, [2, 1]],
	['those since a moment are', { since: start }, [2]],
	['those until a moment are', { until: start + minute }, [2]],
	['it is said that they may be outside', { since: start, undated: true }, [2, 1]],
])('a record without a time is given where %s', async (_when, selection, ids) => {
	const service = new FakeService();
	service.add(2);
	service.records.splice(0, 1, { id: 1, sentAt: 'soon' });
	expect(await idsOf(service, { limit: Infinity, ...selection })).toEqual(ids);
});

const at = (time: number) => new Date(start + time).toISOString();
const record = (id: number, time: number) => ({ id, sentAt: at(time) });

const orders: Order[] = ['newestFirst', 'oldestFirst', 'mixed'];

test.each(orders)('records are known by id and time: %s', async (order) => {
	const service = new FakeService({ order });
	service.add(300, (id) => id * 1_000);
	const { since, isNew } = await newRecordFilter(service.call, lists.messages);
	expect(since).toBe(start + 300_000 - minute);
	expect(isNew(record(300, 300_000))).toBe(false);
	expect(isNew(record(240, 240_000))).toBe(false);
	expect(isNew(record(301, 301_000))).toBe(true);
	// A clock of the service may be late, but not by more than a minute.
	expect(isNew(record(301, 240_000))).toBe(true);
	expect(isNew(record(301, 239_999))).toBe(false);
});

test('known records are those from before the response, if their times can be compared', async () => {
	const service = new FakeService();
	const call: Call = async (request) => {
		request.onHeaders?.({ date: new Date(start + 60 * minute).toUTCString() });
		return await service.call(request);
	};
	const { since, isNew } = await newRecordFilter(call, lists.messages);
	expect(since).toBe(-Infinity);
	expect(isNew(record(4, 10 * minute))).toBe(false);
	expect(isNew(record(4, 59 * minute))).toBe(true);
	// In whatever zone that is.
	expect(isNew({ id: 4, sentAt: at(10 * minute).replace('Z', '') })).toBe(true);
});

test.each([
	['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
	['2026-01-31T12:00:00+05:30', '2026-01-31T06:30:00.000Z'],
	['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
	['2026-01-31 12:00:00.5', '2026-01-31T12:00:00.500Z'],
	['2026-01-31T12:00:00x', '1970-01-01T00:00:00.000Z'],
])('the time %j is %s on every machine', (time, iso) => {
	expect(new Date(timeIn({ time }, 'time')).toISOString()).toBe(iso);
});
