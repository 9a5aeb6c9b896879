import { clamp, times } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { hasOffset, maxPageSize, readPage, timeIn, type ListPage, type TimedList } from './lists';
import { telling, type ApiRequest, type Call } from './client';

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
	/** Whether those whose time cannot be read are wanted although they may lie outside. */
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
export async function readNewest(call: Call, list: TimedList, selection: Selection) {
	const { query, limit, since = -Infinity, until = Infinity, matches, isLast } = selection;
	const { undated = since === -Infinity && until === Infinity } = selection;
	const wanted = new Map<unknown, Listed>();
	const newest = () => [...wanted.values()].sort((a, b) => b.time - a.time).slice(0, limit);
	const given = () => newest().map(({ record }) => record);
	const reading = readForward(call, list, query, {
		sure: since > -Infinity || isLast ? 1 : Math.ceil(limit / maxPageSize),
		needed: () => (wanted.size < limit ? since : (newest().at(-1)?.time ?? since)),
	});
	for await (const page of reading) {
		const fitting = page.filter(
			({ record, time }) =>
				(time === 0 ? undated : time >= since && time <= until) && matches?.(record) !== false,
		);
		for (const one of fitting) wanted.set(one.id, one);
		if (fitting.some(({ record }) => isLast?.(record))) return given();
	}
	return given();
}

/** What tells the records that a list is going to get from those that it has. */
export interface KnownRecords {
	/** Milliseconds: no record that is still to come is older. */
	since: number;
	/** Whether a record was not there yet. */
	isNew(record: IDataObject): boolean;
}

/** Reads the newest records of a list, to know later ones by id, and by the times and the clock of the service. */
export async function knownRecords(call: Call, list: TimedList): Promise<KnownRecords> {
	const ids = new Set<unknown>();
	let since = -Infinity;
	let told = -Infinity;
	const heard = telling(call, (now) => (told = Math.max(told, now - clockSlack)));
	const reading = readForward(heard, list, undefined, { sure: 1, needed: () => since });
	for await (const page of reading) {
		for (const { id, time } of page) {
			ids.add(id);
			since = Math.max(since, time - clockSlack);
		}
	}
	return {
		since,
		isNew: (record) => {
			const time = timeIn(record, list.time);
			// Only a time with an offset can be compared with that of the service's clock.
			const isOlder = time < told && hasOffset(record, list.time);
			return !ids.has(idOf(record)) && time >= since && !isOlder;
		},
	};
}

/** A record of a list. */
interface Listed {
	id: unknown;
	record: IDataObject;
	/** Milliseconds; 0 if it cannot be read. */
	time: number;
}

/** How far a list is read. */
interface Extent {
	/** Pages that are read in any case. */
	sure: number;
	/** Milliseconds: older records than this are not needed, as far as is known by now. */
	needed(): number;
}

/**
 * Reads a list from its first page on, page by page, and again where what has left it may have moved
 * others to pages that were read, or where its order changes; then records come again. It ends early
 * one page behind the last record that is needed if the oldest one is a minute older, as long as the
 * list shows its newest records first.
 */
async function* readForward(
	call: Call,
	list: TimedList,
	query: ApiRequest['query'],
	extent: Extent,
): AsyncGenerator<Listed[]> {
	// A count may hide a record that left behind one that came.
	const leaves = query?.status !== undefined;
	for (const [reading, atOnce] of readings.entries()) {
		const pageAt = async (index: number, size: number) =>
			await readPage(call, list, query, { index, size, fresh: reading > 0 });
		if (yield* readOnce(extent, list, pageAt, atOnce, leaves)) return;
	}
}

/** Reads a list once; returns whether nothing can be missing that was there from its first page to the last. */
async function* readOnce(
	{ sure, needed }: Extent,
	list: TimedList,
	pageAt: (index: number, size: number) => Promise<ListPage>,
	atOnce: number,
	leaves: boolean,
): AsyncGenerator<Listed[], boolean> {
	const seen = new Set<unknown>();
	let before: ListPage | undefined;
	let oldest = Infinity;
	let latest = -Infinity;
	let isOrdered = true;
	let isStill = true;
	let isWhole = true;
	let size = maxPageSize;
	for (let index = 0; ; ) {
		// After two pages more than were sure, many have one time: it may be a long way.
		const isFar = !isOrdered || index > sure + 1;
		const pages = Math.min(isFar ? Infinity : sure, Math.ceil((before?.total ?? 0) / size));
		const block = times(
			clamp(pages - index, 1, atOnce),
			async (place) => await pageAt(index + place, size),
		);
		for (const page of await Promise.all(block)) {
			const records: Listed[] = [];
			let newest = -Infinity;
			for (const record of page.records) {
				const id = idOf(record);
				if (seen.has(id)) continue;
				seen.add(id);
				const time = timeIn(record, list.time);
				isOrdered &&= time <= oldest + clockSlack;
				oldest = Math.min(oldest, time);
				latest = Math.max(latest, time);
				newest = Math.max(newest, time);
				records.push({ id, record, time });
			}
			yield records;

			const isMoved = before !== undefined && page.counts !== before.counts;
			const hasLess = Number(page.total) < Number(before?.total);
			isStill &&= !isMoved;
			// Nothing comes twice in a list that holds still: as many are missing.
			const isShuffled = isStill && records.length > 0 && records.length < page.records.length;
			isWhole &&= !hasLess && !isShuffled && !(isMoved && (leaves || block.length > 1));
			// A list that shows one page for all would never end.
			const isRepeated = before !== undefined && records.length === 0 && !isMoved;
			before = page;
			size = page.size;
			if (isRepeated || isEnd(page, index++)) return isWhole;
			// Records of one moment do not show which end of the list this is.
			const showsNewestFirst = isOrdered && latest > oldest + clockSlack;
			const since = needed();
			if (showsNewestFirst && newest < since && oldest < since - clockSlack) return isWhole;
		}
	}
}

const idOf = (record: IDataObject): unknown => record.id ?? JSON.stringify(record);

const isEnd = ({ records, size, total = Infinity }: ListPage, index: number): boolean =>
	(records.length < size && total === Infinity) || (index + 1) * size >= total;
