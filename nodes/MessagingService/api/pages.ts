import type { IDataObject } from 'n8n-workflow';
import { maxPageSize, readPage, type List, type ListPage } from './lists';
import { Order } from './order';
import { inParallel } from './parallel';
import type { ApiRequest, Call } from './request';

/** Pages read at once after the first has told the total. */
const pagesAtOnce = 5;

/**
 * Reads all records of a list, several pages at once as soon as the total is known. Records that
 * moved to a later page while reading are not repeated, and pages that came into being are read too.
 */
export async function readAll(
	call: Call,
	list: List,
	query?: ApiRequest['query'],
): Promise<IDataObject[]> {
	const pages: ListPage[] = [];
	let needed = 1;
	while (pages.length < needed) {
		const start = pages.length;
		await inParallel({ start, end: needed, atOnce: pagesAtOnce }, async (index) => {
			pages[index] = await readPage(call, list, query, { index });
		});
		for (const page of pages.slice(start)) {
			needed = Math.max(needed, pagesNeeded(page, pages.length));
		}
	}
	// A page that was read before an earlier one may have got records of that one since.
	if (pages.some(({ total }) => total !== pages[0]?.total)) {
		// A list that grows faster than it is read would never end.
		const most = 2 * needed;
		for (let index = 0; index < Math.min(needed, most); index++) {
			const page = await readPage(call, list, query, { index, fresh: true });
			pages.push(page);
			needed = Math.max(needed, pagesNeeded(page, index + 1));
		}
	}
	const records = new Map<unknown, IDataObject>();
	for (const page of pages) {
		for (const record of page.records) records.set(record.id ?? record, record);
	}
	return [...records.values()];
}

/** How many pages hold the records; without a total, one more after every full page. */
function pagesNeeded({ records, total }: ListPage, read: number): number {
	if (total === undefined) return records.length >= maxPageSize ? read + 1 : read;
	return Math.ceil(total / maxPageSize);
}

/**
 * Gives the page with that number, counted from 0.
 *
 * @param fresh whether it was read before and may have changed since
 */
export type ReadPage = (page: number, fresh?: boolean) => Promise<ListPage>;

/** A page of a list that is read from its newest records on. */
export interface NewestPage extends ListPage {
	/**
	 * No record that is still to come is newer than this, in milliseconds, as far as what was read
	 * tells the order of the list: Infinity while it tells none, -Infinity after the last page.
	 */
	frontier: number;
}

/**
 * Gives the first page of a list, then the others with the newest records first.
 *
 * The documentation does not say how the lists are ordered (docs/service.md, section 10.19): where
 * the first page shows the oldest records, the others are read from the end. A list without any
 * order is read whole, unless the caller has what it wants.
 *
 * @param timeOf when a record came into being
 * @param pageSize records on a page that is not the last
 */
export async function* newestFirst(
	read: ReadPage,
	{ timeOf, pageSize }: { timeOf: (record: IDataObject) => number; pageSize: number },
): AsyncGenerator<NewestPage> {
	const first = await read(0);
	const last = lastPage(first, 0, pageSize);
	let direction = directionOf(first.records.map(timeOf));
	const order = new Order(timeOf);
	const isForward = direction < 0 || last === Infinity;
	if (isForward) order.add(first.records, false);
	yield { ...first, frontier: last === 0 ? -Infinity : order.frontier };
	if (last === 0) return;

	let end: ListPage | undefined;
	if (direction === 0 && last !== Infinity) {
		// Equal times, as a campaign makes them, do not tell the direction.
		end = await read(last);
		direction = directionOf([...first.records, ...end.records].map(timeOf));
	}
	if (direction > 0 && last !== Infinity) yield* backward(read, order, { last, end, pageSize });
	else {
		if (!isForward) order.add(first.records, false);
		yield* forward(read, order, { first, pageSize });
	}
}

/** From the end of the list to its second page. */
async function* backward(
	read: ReadPage,
	order: Order,
	{ last: known, end, pageSize }: { last: number; end: ListPage | undefined; pageSize: number },
): AsyncGenerator<NewestPage> {
	const { last, page: lastNow } = await filledEnd(read, known, end ?? (await read(known)));
	const newest = [lastNow];
	// What has come into being meanwhile is behind it; what still comes is not waited for.
	const target = lastPage(lastNow, last, pageSize);
	for (let number = last; ; number++) {
		const page = newest[0] ?? lastNow;
		const isLast = number >= target || page.records.length === 0 || target === Infinity;
		if (isLast) for (const { records } of newest) order.add(records, true);
		yield { ...page, frontier: isLast ? frontierAt(order, last - 1) : Infinity };
		if (isLast) break;
		newest.unshift(await read(number + 1));
	}
	for (let index = last - 1; index > 0; index--) {
		const page = await read(index);
		order.add(page.records, true);
		yield { ...page, frontier: frontierAt(order, index - 1) };
	}
}

/**
 * The last page that has records: the total can count more than what is listed with a status
 * (docs/service.md, section 10.21).
 */
async function filledEnd(
	read: ReadPage,
	last: number,
	page: ListPage,
): Promise<{ last: number; page: ListPage }> {
	let filled = { last: 0, page };
	let empty = last;
	if (page.records.length > 0) return { last, page };
	while (empty - filled.last > 1) {
		const middle = Math.floor((filled.last + empty) / 2);
		const between = await read(middle);
		if (between.records.length === 0) empty = middle;
		else filled = { last: middle, page: between };
	}
	return filled;
}

/** The first page was given already: nothing comes after the second. */
const frontierAt = (order: Order, remaining: number): number =>
	remaining > 0 ? order.frontier : -Infinity;

/** From the second page to the end of the list. */
async function* forward(
	read: ReadPage,
	order: Order,
	{ first, pageSize }: { first: ListPage; pageSize: number },
): AsyncGenerator<NewestPage> {
	let page = first;
	const again = new Set<number>();
	let furthest = 0;
	// A list that grows faster than it is read would never end.
	const most = 2 * lastPage(first, 0, pageSize) + 1;
	// Asked again after every page: what comes into being moves the others to later pages.
	for (let number = 1; number <= Math.min(most, lastPage(page, number - 1, pageSize)); number++) {
		const before = page.total ?? 0;
		page = await read(number, number <= furthest);
		furthest = Math.max(furthest, number);
		order.add(page.records, false);
		const gone = before - (page.total ?? before);
		const isEnd = number >= lastPage(page, number, pageSize) && gone <= 0;
		yield { ...page, frontier: isEnd ? -Infinity : order.frontier };
		// What left the list, as a message leaves those with a status, has moved others to pages read.
		if (gone > 0 && !again.has(number)) {
			again.add(number);
			number = Math.max(0, number - Math.ceil(gone / pageSize)) - 1;
		}
	}
}

/** Number of the last page; Infinity if the list does not tell and may go on. */
function lastPage({ records, total }: ListPage, number: number, pageSize: number): number {
	if (records.length === 0) return number;
	if (total !== undefined) return Math.max(0, Math.ceil(total / pageSize) - 1);
	return records.length < pageSize ? number : Infinity;
}

/** Above 0 if times rise from the first to the last record, below 0 if they fall. */
const directionOf = (times: number[]): number => (times[times.length - 1] ?? 0) - (times[0] ?? 0);
