import type { IDataObject } from 'n8n-workflow';
import type { ListPage } from '../../../nodes/MessagingService/api/lists';
import {
	ChangeDetector,
	type ListRules,
} from '../../../nodes/MessagingService/polling/changeDetector';
import {
	callEvents,
	callRules,
	callWatch,
} from '../../../nodes/MessagingService/polling/callWatch';
import {
	entriesByKey,
	keyOf,
	nothingKnown,
	pack,
	unpack,
	type History,
} from '../../../nodes/MessagingService/polling/history';
import { isReached } from '../../../nodes/MessagingService/polling/messageWatch';
import { fakeRules } from '../../support/unit/fakeList';

/** Records as `id time status`. */
const recordsOf = (...texts: string[]): IDataObject[] =>
	texts.map((text) => {
		const [id = '', time = '', status = 'Sent'] = text.split(' ');
		return { id, time: Number(time), status };
	});

const entry = (id: string, time: number, ...seen: string[]) => ({
	key: keyOf(id),
	time,
	status: seen[seen.length - 1] ?? '',
	seen,
});

/** What is made of pages, by what was known before. */
function detected(
	before: History | undefined,
	pages: Array<[string[], Omit<ListPage, 'records'>]>,
	rules: Partial<ListRules> = {},
) {
	const detector = new ChangeDetector(fakeRules({ window: 3, ...rules }), before);
	const enough = pages.map(([records, counts]) => {
		detector.add({ records: recordsOf(...records), ...counts });
		return detector.isEnough();
	});
	const { changes, history } = detector.finish();
	return { changes: changes.map(({ record }) => record.id), history, enough, all: changes };
}

const counts = (total: number, stats: Record<string, number>) => ({ total, stats });

describe('the starting point', () => {
	test.each<[string, Parameters<typeof detected>[1], Partial<ListRules>, Partial<History>]>([
		[
			'is all that is there',
			[[['b 5', 'a 4 Read'], counts(2, { Sent: 1, Read: 1 })]],
			{},
			{
				entries: [entry('b', 5, 'Sent'), entry('a', 4, 'Read')],
				since: null,
				...counts(2, { Sent: 1, Read: 1 }),
			},
		],
		[
			'ends where reading has stopped',
			[
				[['d 9', 'c 8'], { total: 9 }],
				[['a 2', 'b 3'], { total: 10 }],
				[[], {}],
			],
			{ window: 9 },
			{
				entries: [9, 8, 3, 2].map((t) => entry('dcxxxxba'[9 - t] ?? '', t, 'Sent')),
				since: 2,
				total: 9,
			},
		],
		[
			'is nothing in an empty list',
			[[[], { total: 0 }]],
			{},
			{ entries: [], since: null, total: 0 },
		],
		[
			'is not known to be all without a total',
			[[['a 4'], {}]],
			{},
			{ entries: [entry('a', 4, 'Sent')], since: 4, total: null },
		],
		[
			'keeps the newest of the window',
			[[['a 1', 'd 4', 'b 2', 'c 3'], { total: 4 }]],
			{},
			{ entries: [entry('d', 4, 'Sent'), entry('c', 3, 'Sent'), entry('b', 2, 'Sent')], since: 1 },
		],
		[
			'is not all if more came while it was read',
			[
				[['a 1'], { total: 1 }],
				[['b 2'], { total: 3 }],
			],
			{},
			{ entries: [entry('b', 2, 'Sent'), entry('a', 1, 'Sent')], since: 2, total: 1 },
		],
		[
			'is nothing where nothing is shown',
			[[[], {}]],
			{},
			{ entries: [], since: null, total: null },
		],
		[
			'has no counts where they tell nothing',
			[[['a 4'], counts(1, { Sent: 1 })]],
			{ hasStats: false },
			{ total: 1, stats: null },
		],
	])('%s', (_name, pages, rules, expected) => {
		const { changes, history } = detected(undefined, pages, rules);
		expect(changes).toEqual([]);
		expect(history).toMatchObject({ settled: true, ...expected });
	});

	test('is read to the end of the window, counted in records', () => {
		const page = (...records: string[]): [string[], object] => [records, { total: 9 }];
		expect(detected(undefined, [page('a 1', 'b 2'), page('b 2'), page('c 3')]).enough).toEqual([
			false,
			false,
			true,
		]);
	});
});

/** Three records of a longer list. */
const known: History = {
	entries: [entry('c', 3, 'Sent'), entry('b', 2, 'Sent'), entry('a', 1, 'Sent')],
	since: 0,
	...counts(5, { Sent: 5 }),
	settled: true,
};

describe('what was known', () => {
	test('stays the very same while nothing happens', () => {
		const { history, changes, enough } = detected(known, [
			[['c 3', 'b 2'], counts(5, { Sent: 5 })],
		]);
		expect(history).toBe(known);
		expect(changes).toEqual([]);
		expect(enough).toEqual([true]);
	});

	test('gets another time, although that is no change', () => {
		const { history, changes } = detected(known, [[['c 4', 'b 2'], counts(5, { Sent: 5 })]]);
		expect(changes).toEqual([]);
		expect(history).toEqual({
			...known,
			entries: [entry('c', 4, 'Sent'), entry('b', 2, 'Sent'), entry('a', 1, 'Sent')],
		});
	});

	test('remembers every status of a record, and what was not read', () => {
		const { history, all } = detected(known, [
			[['c 3', 'b 2 Read'], counts(5, { Sent: 4, Read: 1 })],
		]);
		expect(all).toEqual([
			{
				record: { id: 'b', time: 2, status: 'Read' },
				status: 'Read',
				previous: entry('b', 2, 'Sent'),
			},
		]);
		expect(history).toEqual({
			...known,
			entries: [entry('c', 3, 'Sent'), entry('b', 2, 'Sent', 'Read'), entry('a', 1, 'Sent')],
			...counts(5, { Sent: 4, Read: 1 }),
		});
	});

	test('is unsettled while the counts are not explained, and all is looked at then', () => {
		const { history, enough } = detected(known, [
			[['c 3'], counts(5, { Sent: 4, Read: 1 })],
			[['b 2'], counts(5, { Sent: 3, Read: 2 })],
			[['a 1'], {}],
		]);
		expect(history).toMatchObject({ ...counts(5, { Sent: 4, Read: 1 }), settled: false });
		expect(enough).toEqual([false, false, true]);
		const unsettled = { ...known, settled: false };
		const calm = counts(5, { Sent: 5 });
		const next = detected(unsettled, [
			[['c 3', 'b 2'], calm],
			[['a 1'], calm],
		]);
		expect(next.enough).toEqual([false, true]);
		expect(next.history).toEqual(known);
		expect(next.history).not.toBe(unsettled);
	});

	test('explains any of the counts that came with the pages', () => {
		const { history, changes, enough } = detected(known, [
			[['d 4', 'c 3'], counts(7, { Sent: 7 })],
			[['b 2'], counts(6, { Sent: 6 })],
		]);
		expect(changes).toEqual(['d']);
		expect(enough).toEqual([false, true]);
		expect(history).toEqual({
			entries: [entry('d', 4, 'Sent'), entry('c', 3, 'Sent'), entry('b', 2, 'Sent')],
			since: 1,
			...counts(6, { Sent: 6 }),
			settled: true,
		});
	});

	test('is not explained by pages without a total, or without counts', () => {
		for (const told of [{ stats: { Sent: 5 } }, { total: 5 }, counts(5, { Sent: 4, Read: 1 })]) {
			expect(detected(known, [[['c 3'], told]]).enough).toEqual([false]);
		}
		expect(detected(known, [[['c 3'], counts(5, { Sent: 5, Read: 0 })]]).enough).toEqual([true]);
		const uncounted = { ...known, stats: null };
		const rules = { hasStats: false };
		expect(detected(uncounted, [[['c 3'], counts(5, { Sent: 1 })]], rules).enough).toEqual([true]);
	});

	test('is not explained by what neither of them tells', () => {
		const page: [string[], object] = [['c 3'], { stats: { Sent: 5 } }];
		expect(detected({ ...known, total: null }, [page]).enough).toEqual([false]);
		expect(detected({ ...known, stats: {} }, [[['c 3'], { total: 5 }]]).enough).toEqual([false]);
	});

	test('may be an empty list, where even a record without a time is new', () => {
		const empty = { ...nothingKnown, ...counts(0, {}) };
		const { enough, changes } = detected(empty, [[['x 0'], counts(1, { Sent: 1 })]]);
		expect(enough).toEqual([true]);
		expect(changes).toEqual(['x']);
	});

	test('keeps its limit when an older record is forgotten', () => {
		const entries = [entry('c', 9, 'Sent'), entry('b', 4, 'Sent'), entry('a', 3, 'Sent')];
		const before = { ...known, entries, since: 5 };
		const { history } = detected(before, [[['d 10', 'c 9'], counts(6, { Sent: 6 })]]);
		expect(history).toMatchObject({ since: 5, settled: true });
	});

	test('a record that is read again counts as it is then', () => {
		const { changes, enough, history } = detected(known, [
			[['c 3 Read', 'b 2 Failed'], counts(5, { Sent: 3, Read: 1, Failed: 1 })],
			[['c 3', 'b 2 Read'], counts(5, { Sent: 4, Read: 1 })],
		]);
		expect(enough).toEqual([true, true]);
		expect(changes).toEqual(['b']);
		expect(history).toMatchObject(counts(5, { Sent: 4, Read: 1 }));
	});

	test('is what is new alone, oldest first, whatever the order on the pages', () => {
		const all = counts(9, { Sent: 9 });
		const { changes, history } = detected(known, [
			[['f 6', 'old 0', 'd 4', 'e 4'], all],
			[['c 3', 'older -1'], all],
		]);
		expect(changes).toEqual(['e', 'd', 'f']);
		expect(history.since).toBe(3);
	});

	test('another list is a new starting point; one record of the former, or one that was not read, is enough for the same', () => {
		const other = detected(known, [[['x 9', 'y 8'], { total: 2 }]]);
		expect(other.changes).toEqual([]);
		expect(other.history).toMatchObject({
			entries: [entry('x', 9, 'Sent'), entry('y', 8, 'Sent')],
			since: null,
			total: 2,
		});
		expect(detected(known, [[['x 9', 'a 1'], { total: 2 }]]).changes).toEqual(['x']);
		expect(detected(known, [[['x 9', 'y 8'], { total: 3 }]]).changes).toEqual(['y', 'x']);
		expect(detected(nothingKnown, [[['x 9'], counts(1, {})]]).changes).toEqual(['x']);
	});

	test('reading goes on to what must be read and what is known', () => {
		const mustBeRead = ({ key }: { key: string }, newest: number) =>
			key === keyOf('a') && newest === 3;
		const calm = counts(5, { Sent: 5 });
		expect(
			detected(
				known,
				[
					[['b 2', 'c 3'], calm],
					[['a 1'], calm],
				],
				{ mustBeRead },
			).enough,
		).toEqual([false, true]);
		const grown = counts(9, { Sent: 9 });
		expect(
			detected(known, [
				[['g 9', 'f 8', 'e 7', 'd 6'], grown],
				[['c 3'], grown],
			]).enough,
		).toEqual([false, true]);
		expect(detected(nothingKnown, [[['x 9'], { total: 1 }]], { hasStats: false }).enough).toEqual([
			false,
		]);
	});
});

describe('a call', () => {
	const day = 24 * 60 * 60 * 1_000;

	test.each([
		['initiated', 0, true],
		['answered', day, true],
		['answered', day + 1, false],
		['success', 0, false],
		['failed', 0, false],
	])('that is %s is followed %i ms later: %s', (status, age, expected) => {
		expect(callRules.mustBeRead({ key: '', time: 5, status, seen: [] }, 5 + age)).toBe(expected);
	});

	test('is known by the filters as they are asked for', () => {
		const { identity } = callWatch([], { route: '', search: '+91 98' });
		expect(identity).toEqual({ watch: 'voiceCalls', search: '9198' });
	});

	test('has its status and its time', () => {
		expect(callRules.statusOf({ callStatus: 'x', status: 'y' })).toBe('x');
		expect(callRules.statusOf({ status: 'y' })).toBe('y');
		expect(callRules.timeOf({ createdAt: 7 })).toBe(7);
		expect(callRules).toMatchObject({ window: 1_000, pageSize: 100, hasStats: false });
	});

	const previous = (...seen: string[]) => entry('c', 0, ...seen);
	test.each<[string, ReturnType<typeof previous> | undefined, IDataObject[]]>([
		['initiated', undefined, [{ event: 'started' }]],
		[
			'answered',
			undefined,
			[{ event: 'started' }, { event: 'statusChanged', previousStatus: 'initiated' }],
		],
		[
			'success',
			undefined,
			[
				{ event: 'started' },
				{ event: 'statusChanged', previousStatus: 'initiated' },
				{ event: 'ended' },
			],
		],
		['answered', previous('initiated', 'answered'), []],
		[
			'success',
			previous('answered'),
			[{ event: 'statusChanged', previousStatus: 'answered' }, { event: 'ended' }],
		],
		[
			'answered',
			previous('initiated', 'success'),
			[{ event: 'statusChanged', previousStatus: 'success' }],
		],
	])('%s after %j', (status, before, events) => {
		const record = { id: 'c', event: 'own' };
		expect(callEvents({ record, status, previous: before })).toEqual(
			events.map((event) => ({ ...record, ...event })),
		);
	});

	test('a message reaches a status once', () => {
		const is = (status: string, before?: ReturnType<typeof entry>) =>
			isReached({ record: {}, status, previous: before }, ['Read']);
		expect(is('Read')).toBe(true);
		expect(is('Sent')).toBe(false);
		expect(is('Read', entry('m', 0, 'Sent'))).toBe(true);
		expect(is('Read', entry('m', 0, 'Read', 'Sent'))).toBe(false);
	});
});

describe('what is stored', () => {
	const stored = {
		names: ['Sent', 'Read', 'Failed'],
		entries: [`${keyOf('c')}.1.3.a0`, `${keyOf('b')}.2.4.0`],
		since: 5,
		total: 7,
		stats: { Sent: 7 },
		settled: false,
	};
	const history: History = {
		entries: [
			{ key: keyOf('c'), time: 360, status: 'Read', seen: ['Sent', 'Read'] },
			{ key: keyOf('b'), time: 0, status: 'Failed', seen: ['Failed'] },
		],
		since: 5,
		total: 7,
		stats: { Sent: 7 },
		settled: false,
	};

	test('is written in short, and read again', () => {
		expect(pack(history)).toEqual(stored);
		expect(unpack(stored)).toEqual(history);
		expect(keyOf('c')).toMatch(/^[\w-]{8}$/);
		expect(keyOf(1)).toBe(keyOf('1'));
	});

	test('what is packed or unpacked once is the same each time', () => {
		const packed = pack(history);
		expect(pack(history)).toBe(packed);
		expect(unpack(packed)).toBe(history);
		const copy = structuredClone(stored);
		const read = unpack(copy);
		expect(unpack(copy)).toBe(read);
		expect(pack(read as History)).toBe(copy);
		expect(entriesByKey(history)).toBe(entriesByKey(history));
		expect(entriesByKey(history).get(keyOf('b'))).toBe(history.entries[1]);
	});

	test('an entry that is damaged has no status', () => {
		expect(unpack({ ...stored, entries: ['k.9.0.1'] })?.entries).toEqual([
			{ key: 'k', time: 1, status: '', seen: [] },
		]);
	});

	test.each(['names', 'entries', 'since', 'total', 'stats', 'settled'])(
		'nothing is known without %s',
		(name) => {
			expect(unpack({ ...stored, [name]: undefined })).toBeUndefined();
		},
	);
});
