import type { IDataObject } from 'n8n-workflow';
import { maxPageSize, readPage, timeIn, type TimedList } from './lists';
import { newestFirst, readingOf, type NewestPage } from './pages';
import { readAll } from './readAll';
import type { ApiRequest, Call } from './request';

/** Records on a page that is to tell how a list is ordered. */
const leastPageSize = 20;

/** Which records of a list are wanted. */
export interface Selection {
	query?: ApiRequest['query'];
	/** The newest of them; Infinity for all. */
	limit: number;
	/** Milliseconds: nothing older is wanted. */
	since?: number;
	/** Milliseconds: nothing newer is wanted. */
	until?: number;
	/** What else they must be like. */
	matches?(record: IDataObject): boolean;
	/** How many there can be. */
	atMost?: number;
}

/**
 * Reads the newest records of a list that match, newest first, whatever the order of the list, and
 * no more pages than it takes to know them.
 */
export async function readNewest(
	call: Call,
	list: TimedList,
	{ query, limit, since = -Infinity, until = Infinity, matches, atMost = Infinity }: Selection,
): Promise<IDataObject[]> {
	const timeOf = (record: IDataObject) => timeIn(record, list.time);
	const isWanted = (record: IDataObject) => {
		const time = timeOf(record);
		return time >= since && time <= until && (matches?.(record) ?? true);
	};
	const newest = (records: IDataObject[]) =>
		sortedBy(records, (record) => -timeOf(record)).slice(0, limit);
	if (Math.min(limit, atMost, until) === Infinity && since === -Infinity) {
		return newest((await readAll(call, list, query)).filter(isWanted));
	}

	// All that is older than a moment is found sooner from the other end.
	const sign = limit === Infinity && since === -Infinity && until < Infinity ? -1 : 1;
	const bound = sign === 1 ? since : -until;
	const found = new Map<unknown, IDataObject>();
	const pages = pagesOf(call, list, query, {
		pageSize: matches ? maxPageSize : Math.min(maxPageSize, Math.max(leastPageSize, limit)),
		sign,
	});
	for await (const { records, frontier } of pages) {
		for (const record of records) if (isWanted(record)) found.set(record.id ?? record, record);
		if (found.size >= atMost || frontier < bound) break;
		if (found.size < limit || frontier === Infinity) continue;
		const oldest = newest([...found.values()]).at(-1);
		if (oldest && timeOf(oldest) >= frontier) break;
	}
	return newest([...found.values()]);
}

/** A record can be older than one that was there before it by less than this: clocks differ. */
const clockSlack = 60_000;

/** What tells the records that a list is going to get from those that it has. */
export interface KnownRecords {
	/** Milliseconds: no record that is still to come is older. */
	since: number;
	/** Whether a record was not there yet. */
	isNew(record: IDataObject): boolean;
}

/** Reads the newest records of a list, to know later ones by the service's clock alone. */
export async function knownRecords(call: Call, list: TimedList): Promise<KnownRecords> {
	const ids = new Set<unknown>();
	let newest = -Infinity;
	let covered = Infinity;
	for await (const { records, frontier } of pagesOf(call, list, undefined)) {
		for (const record of records) {
			ids.add(record.id);
			newest = Math.max(newest, timeIn(record, list.time));
		}
		covered = frontier;
		if (covered < newest) break;
	}
	return {
		since: newest - clockSlack,
		isNew: (record) => !ids.has(record.id) && timeIn(record, list.time) > covered,
	};
}

/** The pages of a list, the newest records first; see `newestFirst` and `readingOf`. */
export function pagesOf(
	call: Call,
	list: TimedList,
	query: ApiRequest['query'],
	options?: Parameters<typeof readingOf>[2],
): AsyncGenerator<NewestPage> {
	const reading = readingOf(list, query, options);
	const size = reading.pageSize;
	return newestFirst(
		async (index, fresh) => await readPage(call, list, query, { index, size, fresh }),
		reading,
	);
}

/** Sorts by a number that is made once for each. */
const sortedBy = (records: IDataObject[], rank: (record: IDataObject) => number): IDataObject[] =>
	records
		.map((record) => ({ record, rank: rank(record) }))
		.sort((a, b) => a.rank - b.rank)
		.map(({ record }) => record);
