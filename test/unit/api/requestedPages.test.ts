import type { IDataObject } from 'n8n-workflow';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { knownRecords, readNewest } from '../../../nodes/MessagingService/api/newest';
import { readAll } from '../../../nodes/MessagingService/api/readAll';
import { FakeService, type Order } from '../../support/unit/fakeService';

/** What pages tell of a list with so many records. */
const totals: Record<string, (listed: number) => IDataObject> = {
	nothing: () => ({}),
	total: (total) => ({ total }),
	more: (listed) => ({ total: listed + 450 }),
	'with a status': (a) => ({ total: a + 450, stats: { a } }),
	counts: (listed) => ({ total: 2_000, stats: { listed } }),
};

const start = 1_700_000_000_000;

/** How the list is read, by what is wanted of it. */
const readers: Record<string, (service: FakeService) => Promise<unknown>> = {
	all: async ({ call }) => await readAll(call, lists.messages),
	'all of a': async ({ call }) => await readAll(call, lists.messages, { status: 'a' }),
	'since 300 of a': async ({ call }) =>
		await readNewest(call, lists.messages, {
			query: { status: 'a' },
			limit: Infinity,
			since: start + 300,
		}),
	known: async ({ call }) => await knownRecords(call, lists.messages),
	'newest 10': async ({ call }) => await readNewest(call, lists.messages, { limit: 10 }),
	'newest 130': async ({ call }) => await readNewest(call, lists.messages, { limit: 130 }),
	'since 300': async ({ call }) =>
		await readNewest(call, lists.messages, { limit: Infinity, since: start + 300 }),
	'since 50': async ({ call }) =>
		await readNewest(call, lists.messages, { limit: Infinity, since: start + 50 }),
	'300 to 350': async ({ call }) =>
		await readNewest(call, lists.messages, {
			limit: Infinity,
			since: start + 300,
			until: start + 350,
		}),
	'until 100': async ({ call }) =>
		await readNewest(call, lists.messages, { limit: Infinity, until: start + 100 }),
	'newest 5 until 100': async ({ call }) =>
		await readNewest(call, lists.messages, { limit: 5, until: start + 100 }),
	'newest 5 of the even': async ({ call }) =>
		await readNewest(call, lists.messages, { limit: 5, matches: ({ id }) => Number(id) % 2 === 0 }),
	'at most 1': async ({ call }) =>
		await readNewest(call, lists.messages, {
			limit: Infinity,
			atMost: 1,
			matches: ({ id }) => id === 250,
		}),
};

interface Growth {
	/** The request before which records come into being, or leave. */
	at: number;
	count: number;
}

/** Numbers of the pages that are asked for, and their size if it is not 100; `!` after a change. */
async function asked(
	read: string,
	order: Order,
	count: number,
	told: string,
	{ at, count: growth }: Growth,
): Promise<string> {
	const pages: string[] = [];
	const service: FakeService = new FakeService({
		order,
		totals: totals[told],
		onRequest: ({ limit = 0, offset = 0 }) => {
			const isChanged = service.requests.length === at && growth !== 0;
			if (isChanged && growth > 0) service.add(growth);
			if (isChanged && growth < 0) service.records.splice(0, -growth);
			const size = limit === 100 ? '' : `/${limit}`;
			pages.push(`${isChanged ? '!' : ''}${offset / limit}${size}`);
		},
	});
	service.add(count);
	await readers[read]?.(service);
	return pages.join(' ');
}
const never: Growth = { at: 0, count: 0 };

test.each<[string, Order, number, string, string, Growth?]>([
	['all', 'newestFirst', 0, 'nothing', '0'],
	['all', 'newestFirst', 99, 'nothing', '0'],
	['all', 'newestFirst', 100, 'nothing', '0 1'],
	['all', 'newestFirst', 101, 'nothing', '0 1'],
	['all', 'newestFirst', 250, 'nothing', '0 1 2'],
	['all', 'newestFirst', 620, 'nothing', '0 1 2 3 4 5 6'],
	['all', 'newestFirst', 0, 'total', '0'],
	['all', 'newestFirst', 99, 'total', '0'],
	['all', 'newestFirst', 100, 'total', '0'],
	['all', 'newestFirst', 101, 'total', '0 1'],
	['all', 'newestFirst', 250, 'total', '0 1 2'],
	['all', 'newestFirst', 620, 'total', '0 1 2 3 4 5 6'],
	['all', 'newestFirst', 0, 'more', '0'],
	['all', 'newestFirst', 99, 'more', '0 1 2 3 4 5'],
	['all', 'newestFirst', 100, 'more', '0 1 2 3 4 5'],
	['all', 'newestFirst', 101, 'more', '0 1 2 3 4 5'],
	['all', 'newestFirst', 250, 'more', '0 1 2 3 4 5'],
	['all', 'newestFirst', 620, 'more', '0 1 2 3 4 5 6 7 8 9 10'],
	['all', 'newestFirst', 0, 'counts', '0'],
	['all', 'newestFirst', 99, 'counts', '0 1 2 3 4 5'],
	['all', 'newestFirst', 100, 'counts', '0 1 2 3 4 5'],
	['all', 'newestFirst', 101, 'counts', '0 1 2 3 4 5'],
	['all', 'newestFirst', 250, 'counts', '0 1 2 3 4 5'],
	['all', 'newestFirst', 620, 'counts', '0 1 2 3 4 5 6 7 8 9 10'],
	['all', 'newestFirst', 250, 'nothing', '0 !1 2', { at: 2, count: 3 }],
	['all', 'newestFirst', 250, 'nothing', '0 1 !2 3', { at: 3, count: 130 }],
	['all', 'newestFirst', 250, 'nothing', '0 !1 2 3', { at: 2, count: 100 }],
	['all', 'newestFirst', 250, 'nothing', '0 !1 2', { at: 2, count: -30 }],
	['all', 'newestFirst', 250, 'total', '0 !1 2 0 1 2', { at: 2, count: 3 }],
	['all', 'newestFirst', 250, 'total', '0 1 !2 3 0 1 2 3', { at: 3, count: 130 }],
	['all', 'newestFirst', 250, 'total', '0 !1 2 3 0 1 2 3', { at: 2, count: 100 }],
	['all', 'newestFirst', 250, 'total', '0 !1 2 0 1 2', { at: 2, count: -30 }],
	['all', 'newestFirst', 250, 'more', '0 !1 2 3 4 5 0 1 2 3', { at: 2, count: 3 }],
	['all', 'newestFirst', 250, 'more', '0 1 !2 3 4 5 0 1 2 3 4', { at: 3, count: 130 }],
	['all', 'newestFirst', 250, 'more', '0 !1 2 3 4 5 0 1 2 3 4', { at: 2, count: 100 }],
	['all', 'newestFirst', 250, 'more', '0 !1 2 3 4 5 0 1 2 3', { at: 2, count: -30 }],
	['all', 'newestFirst', 250, 'counts', '0 !1 2 3 4 5 0 1 2 3', { at: 2, count: 3 }],
	['all', 'newestFirst', 250, 'counts', '0 1 !2 3 4 5 0 1 2 3 4', { at: 3, count: 130 }],
	['all', 'newestFirst', 250, 'counts', '0 !1 2 3 4 5 0 1 2 3 4', { at: 2, count: 100 }],
	['all', 'newestFirst', 250, 'counts', '0 !1 2 3 4 5 0 1 2 3', { at: 2, count: -30 }],
	['all of a', 'newestFirst', 250, 'with a status', '0 1 2'],
	['since 300 of a', 'oldestFirst', 420, 'with a status', '0 4 3 2'],
	['since 300 of a', 'oldestFirst', 420, 'with a status', '0 4 !3 2', { at: 3, count: -1 }],
	['since 300 of a', 'oldestFirst', 420, 'with a status', '0 4 !3 4 2', { at: 3, count: 1 }],
	['known', 'newestFirst', 420, 'total', '0'],
	['newest 10', 'newestFirst', 420, 'total', '0/20'],
	['newest 130', 'newestFirst', 420, 'total', '0 1'],
	['since 300', 'newestFirst', 420, 'total', '0 1'],
	['300 to 350', 'newestFirst', 420, 'total', '0 1'],
	['until 100', 'newestFirst', 420, 'total', '0 4 3'],
	[
		'newest 5 until 100',
		'newestFirst',
		420,
		'total',
		'0/20 1/20 2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20 11/20 12/20 13/20 14/20 15/20 16/20',
	],
	['newest 5 of the even', 'newestFirst', 420, 'total', '0'],
	['at most 1', 'newestFirst', 420, 'total', '0 1'],
	['known', 'oldestFirst', 420, 'total', '0 4'],
	['newest 10', 'oldestFirst', 420, 'total', '0/20 20/20'],
	['newest 130', 'oldestFirst', 420, 'total', '0 4 3 2'],
	['since 300', 'oldestFirst', 420, 'total', '0 4 3 2'],
	['until 100', 'oldestFirst', 420, 'total', '0 1'],
	[
		'newest 5 until 100',
		'oldestFirst',
		420,
		'total',
		'0/20 20/20 19/20 18/20 17/20 16/20 15/20 14/20 13/20 12/20 11/20 10/20 9/20 8/20 7/20 6/20 5/20 4/20',
	],
	['newest 5 of the even', 'oldestFirst', 420, 'total', '0 4'],
	['at most 1', 'oldestFirst', 420, 'total', '0 4 3 2'],
	['known', 'mixed', 420, 'total', '0 1 2 3 4'],
	[
		'newest 10',
		'mixed',
		420,
		'total',
		'0/20 1/20 2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20 11/20 12/20 13/20 14/20 15/20 16/20 17/20 18/20 19/20 20/20',
	],
	['newest 130', 'mixed', 420, 'total', '0 1 2 3 4'],
	['since 300', 'mixed', 420, 'total', '0 1 2 3 4'],
	['until 100', 'mixed', 420, 'total', '0 1 2 3 4'],
	[
		'newest 5 until 100',
		'mixed',
		420,
		'total',
		'0/20 1/20 2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20 11/20 12/20 13/20 14/20 15/20 16/20 17/20 18/20 19/20 20/20',
	],
	['newest 5 of the even', 'mixed', 420, 'total', '0 1 2 3 4'],
	['at most 1', 'mixed', 420, 'total', '0 1 2 3'],
	['known', 'newestFirst', 420, 'nothing', '0'],
	['newest 130', 'newestFirst', 420, 'nothing', '0 1'],
	['since 300', 'newestFirst', 420, 'nothing', '0 1'],
	['until 100', 'newestFirst', 420, 'nothing', '0 1 2 3 4'],
	['known', 'oldestFirst', 420, 'nothing', '0 1 2 3 4'],
	['newest 130', 'oldestFirst', 420, 'nothing', '0 1 2 3 4'],
	['since 300', 'oldestFirst', 420, 'nothing', '0 1 2 3 4'],
	['until 100', 'oldestFirst', 420, 'nothing', '0 1'],
	['known', 'newestFirst', 420, 'more', '0'],
	['newest 130', 'newestFirst', 420, 'more', '0 1'],
	['since 300', 'newestFirst', 420, 'more', '0 1'],
	['until 100', 'newestFirst', 420, 'more', '0 8 4 3'],
	['known', 'oldestFirst', 420, 'more', '0 8 4'],
	['newest 130', 'oldestFirst', 420, 'more', '0 8 4 3 2'],
	['since 300', 'oldestFirst', 420, 'more', '0 8 4 3 2'],
	['until 100', 'oldestFirst', 420, 'more', '0 1'],
	['known', 'newestFirst', 420, 'counts', '0'],
	['newest 130', 'newestFirst', 420, 'counts', '0 1'],
	['since 300', 'newestFirst', 420, 'counts', '0 1'],
	['until 100', 'newestFirst', 420, 'counts', '0 19 9 4 3'],
	['known', 'oldestFirst', 420, 'counts', '0 19 9 4'],
	['newest 130', 'oldestFirst', 420, 'counts', '0 19 9 4 3 2'],
	['since 300', 'oldestFirst', 420, 'counts', '0 19 9 4 3 2'],
	['until 100', 'oldestFirst', 420, 'counts', '0 1'],
	['since 300', 'newestFirst', 420, 'nothing', '!0 1', { at: 1, count: 5 }],
	['since 300', 'newestFirst', 420, 'nothing', '0 !1 2 3', { at: 2, count: 130 }],
	['since 300', 'newestFirst', 420, 'nothing', '0 1', { at: 3, count: 130 }],
	['since 300', 'newestFirst', 420, 'nothing', '0 !1', { at: 2, count: -130 }],
	['since 300', 'newestFirst', 420, 'nothing', '0 1', { at: 4, count: -30 }],
	['since 300', 'newestFirst', 420, 'total', '!0 1', { at: 1, count: 5 }],
	['since 300', 'newestFirst', 420, 'total', '0 !1 2 3', { at: 2, count: 130 }],
	['since 300', 'newestFirst', 420, 'total', '0 1', { at: 3, count: 130 }],
	['since 300', 'newestFirst', 420, 'total', '0 !1 0', { at: 2, count: -130 }],
	['since 300', 'newestFirst', 420, 'total', '0 1', { at: 4, count: -30 }],
	['since 300', 'newestFirst', 420, 'more', '!0 1', { at: 1, count: 5 }],
	['since 300', 'newestFirst', 420, 'more', '0 !1 2 3', { at: 2, count: 130 }],
	['since 300', 'newestFirst', 420, 'more', '0 1', { at: 3, count: 130 }],
	['since 300', 'newestFirst', 420, 'more', '0 !1 0', { at: 2, count: -130 }],
	['since 300', 'newestFirst', 420, 'more', '0 1', { at: 4, count: -30 }],
	['since 300', 'oldestFirst', 420, 'nothing', '!0 1 2 3 4', { at: 1, count: 5 }],
	['since 300', 'oldestFirst', 420, 'nothing', '0 !1 2 3 4 5', { at: 2, count: 130 }],
	['since 300', 'oldestFirst', 420, 'nothing', '0 1 !2 3 4 5', { at: 3, count: 130 }],
	['since 300', 'oldestFirst', 420, 'nothing', '0 !1 2', { at: 2, count: -130 }],
	['since 300', 'oldestFirst', 420, 'nothing', '0 1 2 !3', { at: 4, count: -30 }],
	['since 300', 'oldestFirst', 420, 'total', '!0 4 3 2', { at: 1, count: 5 }],
	['since 300', 'oldestFirst', 420, 'total', '0 !4 3 2', { at: 2, count: 80 }],
	['since 300', 'oldestFirst', 420, 'total', '0 !4 5 3 2', { at: 2, count: 130 }],
	['since 300', 'oldestFirst', 420, 'total', '0 4 !3 2', { at: 3, count: 130 }],
	['since 300', 'oldestFirst', 420, 'total', '0 !4 2 1', { at: 2, count: -130 }],
	['since 300', 'oldestFirst', 420, 'total', '0 4 3 !2', { at: 4, count: -30 }],
	['since 300', 'oldestFirst', 420, 'more', '!0 8 4 3 2', { at: 1, count: 5 }],
	['since 300', 'oldestFirst', 420, 'more', '0 !8 4 6 5 4 3 2', { at: 2, count: 130 }],
	['since 300', 'oldestFirst', 420, 'more', '0 8 !4 6 5 4 3 2', { at: 3, count: 130 }],
	['since 300', 'oldestFirst', 420, 'more', '0 !8 4 2 1', { at: 2, count: -130 }],
	['since 300', 'oldestFirst', 420, 'more', '0 8 4 !3 2', { at: 4, count: -30 }],
	['since 50', 'oldestFirst', 420, 'total', '0 4 !3 2 1', { at: 3, count: 5 }],
	['since 50', 'oldestFirst', 420, 'total', '0 4 !3 2 1 0', { at: 3, count: -5 }],
	['until 100', 'newestFirst', 420, 'total', '0 4 !3 4', { at: 3, count: 5 }],
	['since 300', 'oldestFirst', 400, 'more', '0 8 4 2 3 2'],
	['since 300', 'oldestFirst', 400, 'more', '0 8 4 2 !3 4 2', { at: 5, count: 1 }],
	['since 300', 'oldestFirst', 400, 'total', '0 3 2'],
	['newest 10', 'mixed', 90, 'nothing', '!0/20 1/20 2/20 3/20 4/20', { at: 1, count: 5 }],
	[
		'newest 10',
		'mixed',
		90,
		'nothing',
		'0/20 !1/20 2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20 11/20',
		{ at: 2, count: 130 },
	],
	[
		'newest 10',
		'mixed',
		90,
		'nothing',
		'0/20 1/20 !2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20 11/20',
		{ at: 3, count: 130 },
	],
	['newest 10', 'mixed', 90, 'nothing', '0/20 !1/20', { at: 2, count: -130 }],
	['newest 10', 'mixed', 90, 'nothing', '0/20 1/20 2/20 !3/20', { at: 4, count: -30 }],
	['newest 10', 'mixed', 90, 'total', '!0/20 1/20 2/20 3/20 4/20', { at: 1, count: 5 }],
	[
		'newest 10',
		'mixed',
		90,
		'total',
		'0/20 !1/20 2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20',
		{ at: 2, count: 130 },
	],
	[
		'newest 10',
		'mixed',
		90,
		'total',
		'0/20 1/20 !2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20',
		{ at: 3, count: 130 },
	],
	['newest 10', 'mixed', 90, 'total', '0/20 !1/20 0/20', { at: 2, count: -130 }],
	['newest 10', 'mixed', 90, 'total', '0/20 1/20 2/20 !3/20 1/20 2/20', { at: 4, count: -30 }],
	['newest 10', 'mixed', 90, 'more', '!0/20 1/20 2/20 3/20 4/20 5/20', { at: 1, count: 5 }],
	[
		'newest 10',
		'mixed',
		90,
		'more',
		'0/20 !1/20 2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20 11/20',
		{ at: 2, count: 130 },
	],
	[
		'newest 10',
		'mixed',
		90,
		'more',
		'0/20 1/20 !2/20 3/20 4/20 5/20 6/20 7/20 8/20 9/20 10/20 11/20',
		{ at: 3, count: 130 },
	],
	['newest 10', 'mixed', 90, 'more', '0/20 !1/20 0/20', { at: 2, count: -130 }],
	['newest 10', 'mixed', 90, 'more', '0/20 1/20 2/20 !3/20 1/20 2/20 3/20', { at: 4, count: -30 }],
	['known', 'newestFirst', 0, 'total', '0'],
	['known', 'oldestFirst', 0, 'total', '0'],
	['known', 'newestFirst', 1, 'total', '0'],
	['known', 'oldestFirst', 1, 'total', '0'],
	['known', 'newestFirst', 20, 'total', '0'],
	['known', 'oldestFirst', 20, 'total', '0'],
	['known', 'newestFirst', 21, 'total', '0'],
	['known', 'oldestFirst', 21, 'total', '0'],
	['known', 'newestFirst', 100, 'total', '0'],
	['known', 'oldestFirst', 100, 'total', '0'],
	['known', 'newestFirst', 101, 'total', '0'],
	['known', 'oldestFirst', 101, 'total', '0 1'],
	['newest 10', 'newestFirst', 0, 'total', '0/20'],
	['newest 10', 'oldestFirst', 0, 'total', '0/20'],
	['newest 10', 'newestFirst', 1, 'total', '0/20'],
	['newest 10', 'oldestFirst', 1, 'total', '0/20'],
	['newest 10', 'newestFirst', 20, 'total', '0/20'],
	['newest 10', 'oldestFirst', 20, 'total', '0/20'],
	['newest 10', 'newestFirst', 21, 'total', '0/20'],
	['newest 10', 'oldestFirst', 21, 'total', '0/20 1/20'],
	['newest 10', 'newestFirst', 100, 'total', '0/20'],
	['newest 10', 'oldestFirst', 100, 'total', '0/20 4/20'],
	['newest 10', 'newestFirst', 101, 'total', '0/20'],
	['newest 10', 'oldestFirst', 101, 'total', '0/20 5/20 4/20'],
])('%s, %s of %i, told %s', async (read, order, count, told, pages, growth = never) => {
	expect(await asked(read, order, count, told, growth)).toBe(pages);
});
