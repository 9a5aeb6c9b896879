import { sleep, type IDataObject } from 'n8n-workflow';
import type { ServiceClock } from '../../../nodes/MessagingService/api/clock';
import { lists } from '../../../nodes/MessagingService/api/lists';
import {
	newRecordFilter,
	readNewest,
	type Selection,
} from '../../../nodes/MessagingService/api/newest';
import type { Call } from '../../../nodes/MessagingService/api/client';
import { FakeService, type Order } from '../../support/unit/fakeService';

const start = 1_700_000_000_000;
const minute = 60_000;

const at = (time: number) => new Date(start + time).toISOString();

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
		// With the pages that were requested at the same time as the second one, and three further readings.
		if (++calls > 12) throw new Error('There is no end');
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
	['all are wanted', {}, [1, 2]],
	['those since a moment are', { since: start + minute }, [1]],
	['those until a moment are', { until: start + minute }, [2]],
	['it is known', { until: start, isKnown: ({ id }: IDataObject) => id === 1 }, [1]],
])('a record without a time may be new: it comes out where %s', async (_when, selection, ids) => {
	const service = new FakeService();
	service.add(2);
	service.records.splice(0, 1, { id: 1, sentAt: 'soon', updatedAt: null });
	expect(await idsOf(service, { limit: Infinity, ...selection })).toEqual(ids);
});

test('a record that was never sent has the time of its last change', async () => {
	const service = listOf(3);
	Object.assign(service.records[0] ?? {}, { sentAt: null, updatedAt: at(2.5 * minute) });
	expect(await idsOf(service, { limit: Infinity })).toEqual([3, 1, 2]);
});

test.each<[form: string, record: IDataObject, Partial<Selection>, isRead: boolean]>([
	['in the same second', { sentAt: '2026-03-10T10:00:04Z' }, {}, true],
	['of the second before', { sentAt: '2026-03-10T10:00:03Z' }, {}, false],
	['without an offset', { sentAt: '2026-03-10T04:30:04' }, {}, false],
	['from any zone', { sentAt: '2026-03-10T04:30:04' }, { anyZone: true }, true],
])('since a moment, a record %s: %j', async (_form, record, selection, isRead) => {
	const service = new FakeService();
	service.records.push({ id: 7, ...record });
	const since = Date.parse('2026-03-10T10:00:04.800Z');
	const ids = await idsOf(service, { limit: Infinity, since, ...selection });
	expect(ids).toEqual(isRead ? [7] : []);
});

test('since a moment of n8n is by the clock that the responses show', async () => {
	const service = listOf(10);
	const hour = 60 * minute;
	const call: Call = async (request) => {
		request.onTimed?.(0, hour);
		return await service.call(request);
	};
	const since = (clock: ServiceClock) => clock.earliest(start + 8 * minute - hour);
	const found = await readNewest(call, lists.messages, { limit: Infinity, since });
	expect(found.map(({ id }) => id)).toEqual([10, 9, 8]);
	// Without a clock, a minute is tolerated.
	const later = (clock: ServiceClock) => clock.earliest(start + 8 * minute);
	expect(await idsOf(service, { limit: Infinity, since: later })).toEqual([10, 9, 8, 7]);
});

test('a list in the order of the last change hides no newer record behind older ones', async () => {
	const service = listOf(400);
	// The newest is last, because all others have changed since.
	for (const record of service.records) record.updatedAt = at(500 * minute);
	service.records.unshift({ id: 0, sentAt: at(450 * minute), updatedAt: at(450 * minute) });
	expect(await idsOf(service, { limit: 1 })).toEqual([0]);
	expect(await idsOf(service, { limit: Infinity, since: start + 440 * minute })).toEqual([0]);
});

const record = (id: number, time: number) => ({ id, sentAt: at(time) });

test('records are known by id and by the clock, in any order', async () => {
	const service = new FakeService({ order: 'mixed' });
	service.add(300, (id) => id * 1_000);
	const call: Call = async (request) => {
		request.onTimed?.(0, start + 300_500 - Date.now());
		return await service.call(request);
	};
	const { since, isNew } = await newRecordFilter(call, lists.messages);
	expect(since - start - 240_500).toBeLessThan(1_000);
	expect(isNew(record(300, 400_000))).toBe(false);
	expect(isNew(record(301, 400_000))).toBe(true);
	// Listed late.
	expect(isNew(record(301, 240_000))).toBe(false);
	// In whatever zone that is, or unreadable.
	expect(isNew({ id: 301, sentAt: at(-10 * minute).replace('Z', '') })).toBe(true);
	expect(isNew({ id: 301, sentAt: null })).toBe(true);
});
