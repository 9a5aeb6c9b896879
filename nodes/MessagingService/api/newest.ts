import { clamp, map, range, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, Call } from './client';
import { clockSlack, ServiceClock } from './clock';
import { Failure } from './failure';
import { isOlder, maxPageSize, readPage, timeIn, type TimedList } from './lists';
import { timeOf } from './times';

/** Maximum pages of a list: a million records on pages of the documented size. */
const maxPages = 10_000;

const endless = (): Failure =>
	new Failure(`The list did not end after ${maxPages} pages`, {
		outcome: 'unknown',
		description: "Set a limit or filters. If the list is shorter, contact the service's support.",
	});

export interface Selection {
	query?: ApiRequest['query'];
	/** How many of the newest; Infinity for all. */
	limit: number;
	/**
	 * Range of their times in milliseconds, both ends included. The start can also depend on the clock that the
	 * responses show. A record whose time cannot be read is never older.
	 */
	since?: number | ((clock: ServiceClock) => number);
	until?: number;
	/** Whether a time without an offset may be from any zone. */
	anyZone?: boolean;
	matches?(record: IDataObject): boolean;
	/** Whether reading stops at this wanted record. */
	stopsAt?(record: IDataObject): boolean;
	/** Whether a record is wanted whatever its time. */
	isKnown?(record: IDataObject): boolean;
}

type Page = Awaited<ReturnType<typeof readPage>>;
type ReadAt = (index: number, size?: number) => Promise<Page>;
export const idOf = (record: IDataObject): string => JSON.stringify(record.id ?? record);

/** A wanted record. */
interface Wanted {
	id: string;
	time: number;
	record: IDataObject;
}

/**
 * Reads the newest records that match, newest first. The order of a list is not documented. If records may have been
 * missed while it changed, it is read again, at most three times (docs/contract.md, section 3.8).
 */
export async function readNewest(call: Call, list: TimedList, selection: Selection) {
	const { query, limit, until = Infinity, anyZone, matches, stopsAt, isKnown } = selection;
	const clock = new ServiceClock();
	const timedCall = clock.timed(call);
	const since = () =>
		typeof selection.since === 'function' ? selection.since(clock) : (selection.since ?? -Infinity);
	const wantedOf = (record: IDataObject): Wanted[] => {
		const time = timeIn(record, list.time);
		const isInRange = !isOlder(record, list.time, since(), anyZone) && time <= until;
		const isWanted = (isInRange || isKnown?.(record) === true) && matches?.(record) !== false;
		return isWanted ? [{ id: idOf(record), time, record }] : [];
	};
	/** No more than needed: a list can have any length, and come oldest first. */
	const newestOf = (wanted: Wanted[]) =>
		// Both are Infinity if neither time can be read.
		wanted.sort((a, b) => (a.time === b.time ? 0 : b.time - a.time)).slice(0, limit);
	let found: Wanted[] = [];
	// Pages that are read in any case.
	const surePages = selection.since !== undefined || stopsAt ? 1 : Math.ceil(limit / maxPageSize);
	for (const fresh of [false, true, true, true]) {
		const pass = new Pass(list.time);
		let own: Wanted[] = [];
		/** The time before which no record is needed; undefined until there are enough. */
		let floor: number | undefined;
		const all = () => map(newestOf(uniqBy([...own, ...found], 'id')), 'record');
		const readAt: ReadAt = async (index, size) => {
			if (index >= maxPages) throw endless();
			return await readPage(timedCall, list, query, { index, size, fresh });
		};
		// Further readings go page by page: while a list changes, this misses fewer records.
		for await (const page of pass.pages(readAt, surePages, fresh ? 1 : 5)) {
			const added = pass.add(page, query?.status !== undefined);
			const wanted = added.flatMap(wantedOf);
			own.push(...wanted);
			if (stopsAt && map(wanted, 'record').some(stopsAt)) return all();
			// Not after every page, so that the time grows with the length of the list only.
			if (own.length >= limit + (floor === undefined ? 0 : limit / 8)) {
				own = newestOf(own);
				floor = own.at(-1)?.time;
			}
			if (pass.isEnd || pass.isPast(added, floor ?? since(), anyZone)) break;
		}
		if (pass.isComplete) return all();
		found = uniqBy([...own, ...found], 'id');
	}
	return map(newestOf(found), 'record');
}

/** One reading of a list, page by page. */
class Pass {
	isEnd = false;
	/** Whether no record can have been missed. */
	isComplete = true;
	private isUnchanged = true;
	private isNewestFirst = true;
	private oldest = Infinity;
	private latest = -Infinity;
	private readonly ids = new Set<string>();
	private previous?: Page;
	private index = 0;
	private atOnce = 1;

	/** @param timeField the key of the records' times */
	constructor(private readonly timeField: string) {}

	/** Yields the pages in order, and reads up to `most` at once if all of them are likely needed. */
	async *pages(readAt: ReadAt, surePages: number, most: number) {
		for (;;) {
			const { total, size } = this.previous ?? {};
			const pagesLeft = Math.ceil((Number(total) || 0) / (size ?? 1)) - this.index;
			// If two further pages are not enough, many more are probably needed.
			const isFar = !this.isNewestFirst || this.index > surePages + 1;
			this.atOnce = clamp(isFar ? pagesLeft : Math.min(pagesLeft, surePages - this.index), 1, most);
			const block = range(this.index, this.index + this.atOnce);
			yield* await Promise.all(block.map(async (index) => await readAt(index, size)));
		}
	}

	/** Compares a page with the earlier ones; returns the records that are new. */
	add(page: Page, isFilteredByStatus: boolean): IDataObject[] {
		const { previous } = this;
		const records = page.records.filter((record) => !this.ids.has(idOf(record)));
		for (const record of records) {
			const time = timeIn(record, this.timeField);
			this.ids.add(idOf(record));
			if (time === Infinity) continue;
			this.isNewestFirst &&= time <= this.oldest + clockSlack;
			this.oldest = Math.min(this.oldest, time);
			this.latest = Math.max(this.latest, time);
		}
		const isChanged = previous !== undefined && page.counts !== previous.counts;
		/** NaN without totals, which show nothing. */
		const growth = Number(page.total) - Number(previous?.total);
		// In the order of the last change, a changed record moves to another page, and others come twice. New records
		// shift a list as well, but only by their number.
		const isMoved = page.records.length - records.length > Math.max(growth, 0);
		const mayBeShorter = !(growth >= 0);
		// In a list filtered by status, one record can leave while another joins, so the total does not show
		// the change.
		const isShifted = isChanged && (mayBeShorter || isFilteredByStatus || this.atOnce > 1);
		this.isUnchanged &&= !isChanged;
		// If the counts are unchanged or there is no total, a page without new records is the end: the list may
		// repeat this page for ever.
		const isRepeated = records.length === 0 && (this.isUnchanged || page.total === undefined);
		this.isComplete &&= !isShifted && !isMoved;
		this.previous = page;
		const isLastPage =
			page.records.length < page.size || ++this.index * page.size >= Number(page.total);
		this.isEnd = isLastPage || isRepeated;
		return records;
	}

	/**
	 * Whether the new records of this page, and all records of further pages, are older than needed. Nothing that has
	 * not changed since then can be newer, so this also holds for a list in the order of the last change.
	 */
	isPast(records: IDataObject[], needed: number, anyZone?: boolean): boolean {
		// Records of about the same time do not show whether the list is newest first.
		if (!this.isNewestFirst || this.latest <= this.oldest + clockSlack) return false;
		const isOld = (record: IDataObject) =>
			isOlder(record, this.timeField, needed, anyZone) && !(timeOf(record.updatedAt) >= needed);
		return this.oldest < needed - clockSlack && records.every(isOld);
	}
}

/** Reads the newest records, to recognize later ones by ID, by time and by the service's clock. */
export async function newRecordFilter(call: Call, list: TimedList) {
	const ids = new Set<unknown>();
	const clock = new ServiceClock();
	const rememberId = (record: IDataObject) => ids.add(idOf(record)).size > 0;
	await readNewest(clock.timed(call), list, { limit: 1, matches: rememberId });
	/** Minimum time of later records, in milliseconds. The IDs exclude most earlier ones, so a tolerance does no harm. */
	const since = clock.earliest(Date.now()) - clockSlack;
	const isNew = (record: IDataObject) =>
		!isOlder(record, list.time, since, true) && !ids.has(idOf(record));
	return { since, isNew };
}
