import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import { lists, maxPageSize, readPage, timeIn } from '../../../nodes/MessagingService/api/lists';
import { knownRecords } from '../../../nodes/MessagingService/api/newest';
import { Order } from '../../../nodes/MessagingService/api/order';
import { inParallel } from '../../../nodes/MessagingService/api/parallel';
import type { ApiRequest, CallOptions } from '../../../nodes/MessagingService/api/request';
import { FakeService } from '../../support/unit/fakeService';

describe('the order of a list', () => {
	const records = (times: Array<number | [number, unknown]>): IDataObject[] =>
		times.map((time, n) =>
			typeof time === 'number' ? { id: `${n}`, time } : { id: time[1] as string, time: time[0] },
		);

	test.each<[string, Array<number | [number, unknown]>, number]>([
		['nothing', [], Infinity],
		['one', [7], 7],
		['falling', [9, 7, 4], 4],
		['equal', [5, 5, 5, 5], 5],
		['a quarter out of place', [10, 8, 9, 5], 6],
		['more than a quarter out of place', [10, 8, 9], Infinity],
		['two by different times', [20, 10, 18, 9, 11, 8, 7, 6], 14],
		['two by different times, the longer one last', [20, 10, 11, 9, 17, 8, 7, 6], 14],
		[
			'one without an id beside others',
			[
				[9, undefined],
				[8, undefined],
				[4, undefined],
			],
			4,
		],
		['one that came again', [9, 8, 7, [9, '0'], [9, '0'], [9, '0']], 7],
		['rising', [1, 2, 3, 4], Infinity],
	])('%s', (_name, times, frontier) => {
		const falling = new Order(({ time }) => Number(time));
		falling.add(records(times), false);
		expect(falling.frontier).toBe(frontier);
		const rising = new Order(({ time }) => Number(time));
		const page = records(times).reverse();
		const before = [...page];
		rising.add(page, true);
		expect(rising.frontier).toBe(frontier);
		expect(page).toEqual(before);
	});

	test('what is without an id is not taken for another', () => {
		const order = new Order(({ time }) => Number(time));
		order.add([{ time: 5 }, { time: 6 }, { time: 4 }], false);
		expect(order.frontier).toBe(Infinity);
	});
});

describe('at the same time', () => {
	test('so many at once, in order, until it is stopped', async () => {
		const seen: number[] = [];
		let running = 0;
		let most = 0;
		const work = async (index: number) => {
			seen.push(index);
			most = Math.max(most, ++running);
			await Promise.resolve();
			running--;
		};
		await inParallel({ start: 2, end: 9, atOnce: 3 }, work);
		expect([seen, most]).toEqual([[2, 3, 4, 5, 6, 7, 8], 3]);
		seen.length = 0;
		most = 0;
		await inParallel({ end: 2, atOnce: Infinity }, work);
		expect([seen, most]).toEqual([[0, 1], 2]);
		seen.length = 0;
		await inParallel({ end: 9, atOnce: 2 }, work, () => seen.length > 3);
		expect(seen).toEqual([0, 1, 2, 3]);
	});
});

describe('a page of a list', () => {
	/** The page that a response is, and what was asked for. */
	async function pageOf(response: IDataObject, list = lists.messages, ...rest: unknown[]) {
		const asked: Array<[ApiRequest, CallOptions | undefined]> = [];
		const call = async (request: ApiRequest, options?: CallOptions) => {
			asked.push([request, options]);
			return await Promise.resolve(response);
		};
		const page = await failureOr(
			readPage(call, list, ...(rest as [ApiRequest['query'], { index: number }])),
		);
		return { page, asked };
	}
	const records = [{ id: 1 }, { id: 2 }];

	test.each<[string, IDataObject]>([
		['under its key', { messages: records, other: [] }],
		['as the only list', { whatever: records, count: 2 }],
		['one level down', { data: { messages: records, other: [] }, meta: { page: 1 } }],
		['two levels down', { a: { b: { whatever: records } }, c: [1].length }],
		['beside what is no record', { messages: [...records, 1, null, 'x', []] }],
	])('has its records %s', async (_name, response) => {
		expect((await pageOf(response)).page).toMatchObject({ records });
	});

	test.each<IDataObject>([
		{},
		{ messages: 'none' },
		{ one: records, other: records },
		{ a: { one: records }, b: { other: records } },
		{ a: { one: records, other: records } },
		{ one: records, other: records, a: { b: records } },
	])('%j is none', async (response) => {
		const { page } = await pageOf(response);
		expect(page).toBeInstanceOf(Failure);
		expect(page).toMatchObject({
			message: `The service answered without a list of messages: ${JSON.stringify(response)}`,
			description:
				'Check that the base URL of the credential leads to the service. If it does, update this package: the service may have changed.',
			outcome: 'unknown',
			statusCode: 200,
		});
	});

	test.each<[IDataObject, number | undefined]>([
		[{ total: 7 }, 7],
		[{ total: 0 }, 0],
		[{ pagination: { total: 7 }, total: 8 }, 7],
		[{ pagination: {}, total: 8 }, 8],
		[{ pagination: 'x', total: 8 }, 8],
		[{ pagination: null }, undefined],
		[{ total: -1 }, undefined],
		[{ total: 1.5 }, undefined],
		[{ total: '7' }, undefined],
		[{}, undefined],
	])('%j tells a total', async (response, total) => {
		const { page } = await pageOf({ messages: [], ...response });
		expect(page).toEqual({ records: [], total, stats: undefined });
	});

	test.each<[IDataObject, number | undefined]>([
		[{ total: 9, stats: { Sent: 7, Read: 2 } }, 7],
		[{ total: 9, stats: { Sent: 0, Read: 9 } }, 0],
		[{ stats: { Sent: 7 } }, 7],
		[{ total: 9, stats: { Read: 2 } }, 9],
		[{ total: 9, stats: { Sent: -1 } }, 9],
		[{ total: 9, stats: { Sent: '7' } }, 9],
		[{ total: 9, stats: null }, 9],
	])('%j tells how many have the status that was asked for', async (response, total) => {
		const query = { status: 'Sent' };
		const { page } = await pageOf({ messages: [], ...response }, lists.messages, query);
		expect(page).toMatchObject({ total });
		const { page: all } = await pageOf({ messages: [], ...response });
		expect(all).toMatchObject({ total: response.total });
	});

	test('tells counts of what can be counted', async () => {
		const stats = { sent: 3, read: -1, failed: '2', none: null };
		expect((await pageOf({ messages: [], stats })).page).toEqual({
			records: [],
			total: undefined,
			stats: { sent: 3, read: 0, failed: 0, none: 0 },
		});
		expect((await pageOf({ messages: [], stats: [3] })).page).toMatchObject({ stats: undefined });
	});

	test('is asked for as its list is', async () => {
		const query = { status: 'a' };
		const asked = async (list: unknown, ...rest: unknown[]) =>
			(await pageOf({ any: [] }, list as typeof lists.messages, ...rest)).asked;
		expect(await asked(lists.messages)).toEqual([
			[{ endpoint: endpoints.getMessages, query: { limit: 100, offset: 0 } }, { fresh: false }],
		]);
		const third = { index: 2, size: 20, fresh: true };
		expect(await asked(lists.messages, query, third)).toEqual([
			[
				{ endpoint: endpoints.getMessages, query: { status: 'a', limit: 20, offset: 40 } },
				{ fresh: true },
			],
		]);
		expect(await asked(lists.calls, query, third)).toEqual([
			[
				{ endpoint: endpoints.getCalls, query: { status: 'a', page: 3, pageSize: 20 } },
				{ fresh: true },
			],
		]);
		expect(await asked(lists.webhooks, query, third)).toEqual([
			[{ endpoint: endpoints.getWebhooks }, { fresh: true }],
		]);
	});

	test.each([
		['2026-01-31T12:00', 12],
		['2026-01-31 12:00', 12],
		['2026-01-31T12:00:00.123456', 12],
		['2026-01-31T12:00:00-01:00', 13],
		['x2026-01-31T12:00', undefined],
		['2026-01-31T12:00:00x', undefined],
	])('has its times in UTC: %s', (value, hour) => {
		const time = timeIn({ value }, 'value');
		if (hour === undefined) expect(time).toBe(0);
		else expect(new Date(time).toISOString()).toMatch(new RegExp(`^2026-01-31T${hour}:00:00`));
	});
});

describe('records that are known', () => {
	const start = 1_700_000_000_000;
	const record = (id: number, time: number) => ({
		id,
		sentAt: new Date(start + time).toISOString(),
	});

	test('are told from later ones by id and time', async () => {
		const service = new FakeService();
		service.add(3 * maxPageSize);
		const { since, isNew } = await knownRecords(service.call, lists.messages);
		expect(since).toBe(start + 300 - 60_000);
		expect(isNew(record(300, 300))).toBe(false);
		expect(isNew(record(300, 301))).toBe(false);
		expect(isNew(record(301, 301))).toBe(true);
		// Between the records that were read it may have come late; below them nobody looked.
		expect(isNew(record(301, 202))).toBe(true);
		expect(isNew(record(301, 201))).toBe(false);
	});

	test('of an empty list are none', async () => {
		const { since, isNew } = await knownRecords(new FakeService().call, lists.messages);
		expect(since).toBe(-Infinity);
		expect(isNew(record(1, 0))).toBe(true);
	});

	test('of a list that was read from its end to its beginning are all', async () => {
		const service = new FakeService({ order: 'oldestFirst' });
		service.add(maxPageSize, () => 0);
		service.add(1, () => 1);
		const { isNew } = await knownRecords(service.call, lists.messages);
		expect(service.requests.map(({ offset }) => offset)).toEqual([0, 100]);
		expect(isNew(record(100, 0))).toBe(false);
		expect(isNew(record(102, 0))).toBe(true);
	});

	test('of equal times are read on until they are all known', async () => {
		const service = new FakeService();
		service.add(3 * maxPageSize, () => 0);
		const { isNew } = await knownRecords(service.call, lists.messages);
		expect(service.requests.map(({ offset }) => offset)).toEqual([0, 200, 100, 200]);
		expect(isNew(record(1, 0))).toBe(false);
		expect(isNew(record(301, 0))).toBe(true);
	});
});
