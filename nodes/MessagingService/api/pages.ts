import type { IDataObject } from 'n8n-workflow';
import { ChangingList, type CountedPage, type ReadPage } from './changingList';
import { maxPageSize, timeIn, type ListPage, type TimedList } from './lists';
import { Order } from './order';
import type { ApiRequest } from './request';
import { lastPage, walk, type Place, type Stop } from './walk';

/** A page of a list that is read from its newest records on. */
export interface NewestPage extends ListPage {
	/**
	 * No record that is still to come is newer than this, in milliseconds, as far as what was read
	 * tells the order of the list: Infinity while it tells none, -Infinity after the last page.
	 */
	frontier: number;
}

/** What must be known of a list to read its newest records first. */
export interface Reading {
	/** When a record came into being, in milliseconds; with a minus, the oldest come first. */
	timeOf(record: IDataObject): number;
	/** Records on a page that is not the last. */
	pageSize: number;
	/** Whether others can come into the list than those with the latest time. */
	entersAnywhere?: boolean;
}

/** @param sign -1 to read the oldest records first */
export const readingOf = (
	{ time }: TimedList,
	query: ApiRequest['query'],
	{ pageSize = maxPageSize, sign = 1 }: { pageSize?: number; sign?: 1 | -1 } = {},
): Reading => ({
	timeOf: (record) => sign * timeIn(record, time),
	pageSize,
	// Records of any age reach a status.
	entersAnywhere: sign === -1 || query?.status !== undefined,
});

/**
 * Gives the first page of a list, then the others with the newest records first.
 *
 * The documentation does not say how the lists are ordered (docs/service.md, section 10.19): where
 * the first page shows the oldest records, the others are read from the end. A list without any
 * order is read whole, unless the caller has what it wants.
 */
export async function* newestFirst(
	readAny: ReadPage,
	reading: Reading,
): AsyncGenerator<NewestPage> {
	const { timeOf, pageSize } = reading;
	const list = new ChangingList(readAny);
	const first = await list.read(0);
	const last = lastPage(first, 0, pageSize);
	let direction = directionOf(first.records.map(timeOf));
	const order = new Order(timeOf);
	if (direction < 0) order.add(first.records, false);
	yield { ...first, frontier: last === 0 ? -Infinity : order.frontier };
	if (last === 0) return;

	let end: CountedPage | undefined;
	if (direction === 0 && last !== Infinity) {
		// Equal times, as a campaign makes them, do not tell the direction.
		end = await list.read(last);
		direction = directionOf([...first.records, ...end.records].map(timeOf));
	}
	const isRising = direction > 0 && last !== Infinity && areRising(first.records, timeOf);
	if (isRising) yield* backward(list, order, { last, end, ...reading });
	else {
		order.add(first.records, false);
		yield* forward(list, order, { first, pageSize });
	}
}

/** Whether the times of records rise, but for some. */
function areRising(records: IDataObject[], timeOf: (record: IDataObject) => number): boolean {
	const order = new Order(timeOf);
	order.add(records, true);
	return order.frontier < Infinity;
}

/** From the end of the list to its second page. */
async function* backward(
	list: ChangingList,
	order: Order,
	{ last, end, pageSize, entersAnywhere }: Reading & { last: number; end?: CountedPage },
): AsyncGenerator<NewestPage> {
	const filled = await filledEnd(
		list,
		{ index: last, page: end ?? (await list.read(last)) },
		pageSize,
	);
	const newest: ListPage[] = [filled.page];
	// Behind it is what has come into being meanwhile.
	if (list.hasMoved) {
		const isTop = (index: number, page: CountedPage) =>
			page.records.length < pageSize || index >= lastPage(page, index, pageSize);
		const upwards = walk(list, { ...filled, step: 1, pageSize, isEnd: isTop });
		for await (const { pages } of upwards) newest.unshift(...pages);
	}
	// What has left moved others to the first page, which was read before.
	const isFirstMissed = ({ left }: CountedPage) => left > 0 || (entersAnywhere && list.hasMoved);
	const isEnd = (index: number, page: CountedPage) =>
		index < 1 || (index === 1 && !isFirstMissed(page));
	const given = ({ index, page, pages }: Stop): NewestPage => {
		for (const { records } of pages) order.add(records, true);
		const frontier = isEnd(index, page) ? -Infinity : order.frontier;
		return { ...together(page, pages), frontier };
	};
	yield given({ ...filled, pages: newest });
	const downwards = { ...filled, step: -1, pageSize, isSafe: !entersAnywhere, isEnd } as const;
	for await (const stop of walk(list, downwards)) yield given(stop);
}

/**
 * The last page that has records, but not the first: the total can count more than what is listed with
 * a status (docs/service.md, section 10.21).
 */
async function filledEnd(list: ChangingList, end: Place, pageSize: number): Promise<Place> {
	if (end.page.records.length > 0) return end;
	let filled = { ...end, index: 0 };
	let empty = end;
	while (empty.index - filled.index > 1) {
		const index = Math.floor((filled.index + empty.index) / 2);
		const middle = { index, page: await list.read(index) };
		const { length } = middle.page.records;
		if (length > 0 && length < pageSize) return middle;
		if (length === 0) empty = middle;
		else filled = middle;
	}
	return filled.index === 0 ? empty : filled;
}

/** From the second page to the end of the list. */
async function* forward(
	list: ChangingList,
	order: Order,
	{ first, pageSize }: { first: CountedPage; pageSize: number },
): AsyncGenerator<NewestPage> {
	// Asked after every page: what comes into being moves the others to later pages.
	const isEnd = (index: number, page: ListPage) => index >= lastPage(page, index, pageSize);
	const way = { index: 0, page: first, step: 1, pageSize, isEnd } as const;
	for await (const { index, page, pages } of walk(list, way)) {
		for (const { records } of pages) order.add(records, false);
		const frontier = isEnd(index, page) ? -Infinity : order.frontier;
		yield { ...together(page, pages), frontier };
	}
}

/** A page with the records of others. */
const together = (page: ListPage, pages: ListPage[]): ListPage => ({
	...page,
	records: pages.flatMap(({ records }) => records),
});

/** Above 0 if times rise from the first to the last record, below 0 if they fall. */
const directionOf = (times: number[]): number => (times[times.length - 1] ?? 0) - (times[0] ?? 0);
