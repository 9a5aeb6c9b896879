import { clamp, times } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { countsOf, maxPageSize, readPage, timeIn, type ListPage, type TimedList } from './lists';
import type { ApiRequest, Call } from './client';

/** Pages under way at once in each reading of a list: while it changes, one after another is safe. */
const readings = [5, 1, 1, 1];

/** A record can be older than one that was there before it by less than this: clocks differ. */
export const clockSlack = 60_000;

/** Which records of a list are wanted. */
export interface Selection {
	query?: ApiRequest['query'];
	/** The newest of them; Infinity for all. */
	limit: number;
	/** Milliseconds: nothing older is wanted. */
	since?: number;
	/** Milliseconds: nothing newer is wanted. */
	until?: number;
	/** Whether those whose time cannot be read are wanted, too. */
	undated?: boolean;
	/** What else they must be like. */
	matches?(record: IDataObject): boolean;
	/** Whether a record that is wanted makes all others needless: reading ends with it. */
	isLast?(record: IDataObject): boolean;
}

/**
 * Reads the newest records of a list that match, newest first, whatever the order of the list
 * (docs/contract.md, section 3.8).
 */
export async function readNewest(
	call: Call,
	list: TimedList,
	{ query, limit, since = -Infinity, until = Infinity, undated, matches, isLast }: Selection,
): Promise<IDataObject[]> {
	const wanted = new Map<unknown, { record: IDataObject; time: number }>();
	const newest = () => [...wanted.values()].sort((a, b) => b.time - a.time).slice(0, limit);
	await readForward(call, list, query, {
		sure: since > -Infinity || isLast ? 1 : Math.ceil(limit / maxPageSize),
		add: (id, record, time) => {
			const isInRange = (time >= since && time <= until) || (undated === true && time === 0);
			if (!isInRange || matches?.(record) === false) return false;
			wanted.set(id, { record, time });
			return isLast?.(record) ?? false;
		},
		needed: () => (wanted.size < limit ? since : (newest().at(-1)?.time ?? since)),
	});
	return newest().map(({ record }) => record);
}

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
	let since = -Infinity;
	await readForward(call, list, undefined, {
		sure: 1,
		add: (id, _record, time) => {
			ids.add(id);
			since = Math.max(since, time - clockSlack);
			return false;
		},
		needed: () => since,
	});
	return {
		since,
		isNew: (record) => !ids.has(idOf(record)) && timeIn(record, list.time) >= since,
	};
}

/** Who reads a list. */
interface Reader {
	/** Pages that are read in any case. */
	sure: number;
	/** Takes a record; in a further reading those that it has may come again. Gives whether it is enough. */
	add(id: unknown, record: IDataObject, time: number): boolean;
	/** Milliseconds: older records are not needed besides those that it has. */
	needed(): number;
}

/**
 * Reads a list from its first page on, each record once, and again where what has left it may have
 * moved others to pages that were read. It ends early one page behind the last record that is needed
 * if the oldest one is a minute older, as long as the list shows its newest records first.
 */
async function readForward(
	call: Call,
	list: TimedList,
	query: ApiRequest['query'],
	reader: Reader,
): Promise<void> {
	// A count may hide a record that left behind one that came.
	const leaves = query?.status !== undefined;
	for (const [reading, atOnce] of readings.entries()) {
		const pageAt = async (index: number) =>
			await readPage(call, list, query, { index, fresh: reading > 0 });
		if (await readOnce(reader, list, pageAt, atOnce, leaves)) return;
	}
}

/** Reads a list once; gives whether nothing can be missing that was there from its first page to the last. */
async function readOnce(
	{ sure, add, needed }: Reader,
	list: TimedList,
	pageAt: (index: number) => Promise<ListPage>,
	atOnce: number,
	leaves: boolean,
): Promise<boolean> {
	const seen = new Set<unknown>();
	let before: ListPage | undefined;
	let oldest = Infinity;
	let latest = -Infinity;
	let isOrdered = true;
	let isWhole = true;
	for (let index = 0; ; ) {
		// After two pages more than were sure, many have one time: it may be a long way.
		const isFar = !isOrdered || index > sure + 1;
		const pages = Math.min(isFar ? Infinity : sure, Math.ceil((before?.total ?? 0) / maxPageSize));
		const block = times(
			clamp(pages - index, 1, atOnce),
			async (place) => await pageAt(index + place),
		);
		for (const page of await Promise.all(block)) {
			const known = seen.size;
			let newest = -Infinity;
			let isEnough = false;
			for (const record of page.records) {
				const id = idOf(record);
				if (seen.has(id)) continue;
				seen.add(id);
				const time = timeIn(record, list.time);
				isOrdered &&= time <= oldest + clockSlack;
				oldest = Math.min(oldest, time);
				latest = Math.max(latest, time);
				newest = Math.max(newest, time);
				isEnough = add(id, record, time) || isEnough;
			}
			if (isEnough) return true;

			const isMoved = before !== undefined && countsOf(page) !== countsOf(before);
			const hasLess = Number(page.total) < Number(before?.total);
			isWhole &&= !hasLess && !(isMoved && (leaves || block.length > 1));
			// A list that shows one page for all would never end.
			const isRepeated = before !== undefined && seen.size === known && !isMoved;
			before = page;
			if (isRepeated || isEnd(page, index++)) return isWhole;
			// Records of one moment do not show which end of the list this is.
			const showsNewestFirst = isOrdered && latest > oldest + clockSlack;
			if (!showsNewestFirst || index < sure) continue;
			const since = needed();
			if (newest < since && oldest < since - clockSlack) return isWhole;
		}
	}
}

const idOf = (record: IDataObject): unknown => record.id ?? JSON.stringify(record);

const isEnd = ({ records, total }: ListPage, index: number): boolean =>
	records.length === 0 ||
	(total === undefined ? records.length < maxPageSize : (index + 1) * maxPageSize >= total);
