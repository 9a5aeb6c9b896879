import type { IDataObject } from 'n8n-workflow';
import { maxPageSize, readPage, type List, type ListPage } from './lists';
import { Order } from './order';
import { inParallel } from './parallel';
import type { ApiRequest, Call } from './request';

/** Pages read at once after the first has told the total. */
const pagesAtOnce = 5;

/** Records that may come into being while a list is read: those of two campaigns (docs/service.md, section 8.1). */
const mostGrowth = 20_000;

/** Pages of a list that is read to its end: one that grows faster than it is read would never end. */
const mostPages = (known: number, pageSize: number): number =>
	2 * known + Math.ceil(mostGrowth / pageSize);

/**
 * Reads all records of a list, several pages at once as soon as the total is known. Records that
 * moved to a later page while reading are not repeated, and pages that came into being are read too.
 */
export async function readAll(
	call: Call,
	list: List,
	query?: ApiRequest['query'],
): Promise<IDataObject[]> {
	const first = await readPage(call, list, query, { index: 0 });
	const pages = [first];
	let needed = pagesNeeded(first, 1);
	let repeats = 0;
	let isOver = first.records.length === 0;
	while (pages.length < needed && !isOver) {
		const start = pages.length;
		const repeatsBefore = repeats;
		await inParallel(
			{ start, end: needed, atOnce: pagesAtOnce },
			async (index) => {
				const page = await readPage(call, list, query, { index });
				pages[index] = page;
				if (isSame(page, first)) repeats++;
				isOver ||= page.records.length === 0 || repeats > 1;
			},
			() => isOver || repeats > repeatsBefore,
		);
		for (const page of pages.slice(start)) {
			needed = Math.max(needed, pagesNeeded(page, pages.length));
		}
	}
	// One page for all: what there is of it has been read.
	if (repeats > 1) return recordsOf([first]);
	// A page that was read before an earlier one may have got records of that one since.
	if (pages.some((page) => isMoved(page, first))) {
		const most = mostPages(needed, maxPageSize);
		for (let index = 0; index < Math.min(needed, most); index++) {
			const page = await readPage(call, list, query, { index, fresh: true });
			if (page.records.length === 0) break;
			pages.push(page);
			needed = Math.max(needed, pagesNeeded(page, index + 1));
		}
	}
	return recordsOf(pages);
}

/** The records of pages, each once. */
const recordsOf = (pages: ListPage[]): IDataObject[] => [
	...new Map(
		pages.flatMap(({ records }) => records.map((record) => [record.id ?? record, record])),
	).values(),
];

/** Whether a list has changed between two reads. */
const isMoved = (page: ListPage, before: ListPage): boolean =>
	page.total !== before.total || !isEqual(page.stats, before.stats);

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** How many pages hold the records; without a total, one more after every full page. */
function pagesNeeded({ records, total }: ListPage, read: number): number {
	if (total === undefined) return records.length >= maxPageSize ? read + 1 : read;
	return Math.ceil(total / maxPageSize);
}

/**
 * Whether a page shows what the first one showed. Once, as many records may have come into being as
 * fill the pages between; twice, the list shows one page for all and would never end.
 */
const isSame = (page: ListPage, first: ListPage): boolean =>
	!isMoved(page, first) &&
	page.records.length === first.records.length &&
	page.records.every((record, n) => isEqual(record, first.records[n]));

/**
 * Gives the page with that number, counted from 0.
 *
 * @param fresh whether it was read before and may have changed since
 */
export type ReadPage = (index: number, fresh?: boolean) => Promise<ListPage>;

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
	readAny: ReadPage,
	{ timeOf, pageSize }: { timeOf: (record: IDataObject) => number; pageSize: number },
): AsyncGenerator<NewestPage> {
	const read = withoutRepeats(readAny);
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
	const isRising = direction > 0 && hasOrder(first.records, timeOf);
	if (isRising && last !== Infinity) yield* backward(read, order, { last, end, pageSize });
	else {
		if (!isForward) order.add(first.records, false);
		yield* forward(read, order, { first, pageSize });
	}
}

/** Whether the times of records rise or fall. */
const hasOrder = (records: IDataObject[], timeOf: (record: IDataObject) => number): boolean =>
	[false, true].some((isRising) => {
		const order = new Order(timeOf);
		order.add(records, isRising);
		return order.frontier < Infinity;
	});

/** Shows pages as empty in a list that shows one page for all. */
function withoutRepeats(read: ReadPage): ReadPage {
	let first: ListPage | undefined;
	let indexBefore = 0;
	let repeated: number | undefined;
	return async (index, fresh) => {
		const page = await read(index, fresh);
		first ??= page;
		// What comes into being between two reads moves the records of the one page to the next.
		const isNext = index === indexBefore + 1;
		indexBefore = index;
		if (index === 0 || !isSame(page, first)) return page;
		const isFirst = repeated === undefined || repeated === index;
		repeated ??= index;
		return isNext && isFirst ? page : { ...page, records: [] };
	};
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
	for (let index = last + 1; index <= target && target !== Infinity; index++) {
		const page = await read(index);
		newest.unshift(page);
		if (page.records.length === 0) break;
	}
	let isMoved = newest.some(({ total }) => total !== lastNow.total);
	// What comes into being in a list without order moves others to pages that were read.
	const isAgain = () => isMoved && order.frontier === Infinity;
	const frontierBefore = (index: number) => (index > 1 || isAgain() ? order.frontier : -Infinity);
	let page = { ...lastNow, records: newest.flatMap(({ records }) => records) };
	for (const { records } of newest) order.add(records, true);
	yield { ...page, frontier: frontierBefore(last) };
	for (let index = last - 1; index > 0; index--) {
		page = await read(index);
		isMoved ||= page.total !== lastNow.total;
		order.add(page.records, true);
		yield { ...page, frontier: frontierBefore(index) };
	}
	if (isAgain()) yield* forward(read, order, { first: page, pageSize, furthest: target });
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

/**
 * From the second page to the end of the list.
 *
 * @param furthest the last page that was read before
 */
async function* forward(
	read: ReadPage,
	order: Order,
	{ first, pageSize, furthest = 0 }: { first: ListPage; pageSize: number; furthest?: number },
): AsyncGenerator<NewestPage> {
	let page = first;
	const again = new Set<number>();
	let last = lastPage(first, 0, pageSize);
	const most = mostPages(last, pageSize);
	// Asked again after every page: what comes into being moves the others to later pages.
	for (let number = 1; number <= Math.min(most, last); number++) {
		const before = page.total ?? 0;
		page = await read(number, number <= furthest);
		furthest = Math.max(furthest, number);
		order.add(page.records, false);
		const gone = before - (page.total ?? before);
		last = lastPage(page, number, pageSize);
		const isEnd = number >= last && gone <= 0;
		yield { ...page, frontier: isEnd ? -Infinity : order.frontier };
		// What left the list, as a message leaves those with a status, has moved others to pages read.
		if (gone > 0 && !again.has(number)) {
			again.add(number);
			// Also where this page is empty now: its records are on the one before.
			last = Math.max(last, number);
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
