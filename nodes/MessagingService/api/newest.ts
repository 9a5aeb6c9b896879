import { clamp, orderBy, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { Failure } from './failure';
import { hasOffset, maxPageSize, readPage, timeIn, type TimedList } from './lists';
import { withServiceTime, type ApiRequest, type Call } from './client';

/** Tolerance in milliseconds when times are compared, because clocks differ. */
export const clockSlack = 60_000;

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
	/** Range of their times in milliseconds, both ends included. */
	since?: number;
	until?: number;
	/** Whether records without a readable time are wanted, although they may be outside the range. */
	undated?: boolean;
	matches?(record: IDataObject): boolean;
	/** Whether reading stops at this wanted record. */
	stopsAt?(record: IDataObject): boolean;
}

type Page = Awaited<ReturnType<typeof readPage>>;
type ReadAt = (index: number, size?: number) => Promise<Page>;
export const idOf = (record: IDataObject): string => JSON.stringify(record.id ?? record);

/**
 * Reads the newest records that match, newest first. The order of a list is not documented. If records may have been
 * missed while it changed, it is read again, at most three times (docs/contract.md, section 3.8).
 */
export async function readNewest(call: Call, list: TimedList, selection: Selection) {
	const { query, limit, since = -Infinity, until = Infinity, matches, stopsAt } = selection;
	const { undated = since === -Infinity && until === Infinity } = selection;
	const timeOf = (record: IDataObject) => timeIn(record, list.time);
	const isWanted = (record: IDataObject) => {
		const time = timeOf(record);
		const isInRange = time === 0 ? undated : time >= since && time <= until;
		return isInRange && matches?.(record) !== false;
	};
	const found = new Map<string, IDataObject>();
	const newest = () => orderBy([...found.values()], timeOf, 'desc').slice(0, limit);
	/** The time before which no record is needed. */
	const neededSince = () => (found.size < limit ? since : timeOf(newest().at(-1) ?? {}));
	// Pages that are read in any case.
	const surePages = since > -Infinity || stopsAt ? 1 : Math.ceil(limit / maxPageSize);
	for (const fresh of [false, true, true, true]) {
		const pass = new Pass(timeOf);
		const readAt: ReadAt = async (index, size) => {
			if (index >= maxPages) throw endless();
			return await readPage(call, list, query, { index, size, fresh });
		};
		// Further readings go page by page: while a list changes, this misses fewer records.
		for await (const page of pass.pages(readAt, surePages, fresh ? 1 : 5)) {
			const added = pass.add(page, query?.status !== undefined);
			const wanted = added.filter(isWanted);
			for (const record of wanted) found.set(idOf(record), record);
			if (stopsAt && wanted.some(stopsAt)) return newest();
			if (pass.isEnd || pass.isPast(added, neededSince())) break;
		}
		if (pass.isComplete) break;
	}
	return newest();
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

	constructor(private readonly timeOf: (record: IDataObject) => number) {}

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
			const time = this.timeOf(record);
			this.ids.add(idOf(record));
			this.isNewestFirst &&= time <= this.oldest + clockSlack;
			this.oldest = Math.min(this.oldest, time);
			this.latest = Math.max(this.latest, time);
		}
		const isChanged = previous !== undefined && page.counts !== previous.counts;
		const mayBeShorter = !(Number(page.total) >= Number(previous?.total));
		// In a list filtered by status, one record can leave while another joins, so the total does not show
		// the change.
		const isShifted = isChanged && (mayBeShorter || isFilteredByStatus || this.atOnce > 1);
		this.isUnchanged &&= !isChanged;
		// If the counts are unchanged or there is no total, a page without new records is the end: the list may
		// repeat this page for ever.
		const isRepeated = records.length === 0 && (this.isUnchanged || page.total === undefined);
		this.isComplete &&= !isShifted;
		this.previous = page;
		const isLastPage =
			page.records.length < page.size || ++this.index * page.size >= Number(page.total);
		this.isEnd = isLastPage || isRepeated;
		return records;
	}

	/** Whether the new records of this page, and all records of further pages, are older than needed. */
	isPast(records: IDataObject[], neededSince: number): boolean {
		// Records of about the same time do not show whether the list is newest first.
		if (!this.isNewestFirst || this.latest <= this.oldest + clockSlack) return false;
		const isOld = (record: IDataObject) => this.timeOf(record) < neededSince;
		return this.oldest < neededSince - clockSlack && records.every(isOld);
	}
}

/** Reads the newest records, to recognize later ones by ID, by time and by the service's clock. */
export async function newRecordFilter(call: Call, list: TimedList) {
	const ids = new Set<unknown>();
	let now = -Infinity;
	const timedCall = withServiceTime(call, (time) => (now = Math.max(now, time)));
	const rememberId = (record: IDataObject) => ids.add(idOf(record)).size > 0;
	const [newest] = await readNewest(timedCall, list, { limit: 1, matches: rememberId });
	/** Minimum time of later records, in milliseconds. */
	const since = newest ? timeIn(newest, list.time) - clockSlack : -Infinity;
	const isNew = (record: IDataObject) => {
		const time = timeIn(record, list.time);
		// Only a time with an offset can be compared with the service's clock.
		const isOlder = time < since || (time < now - clockSlack && hasOffset(record, list.time));
		return !isOlder && !ids.has(idOf(record));
	};
	return { since, isNew };
}
