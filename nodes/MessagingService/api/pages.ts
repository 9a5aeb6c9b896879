import type { IDataObject } from 'n8n-workflow';
import { ChangingList, type CountedPage, type ReadPage } from './changingList';
import { maxPageSize, timeIn, type ListPage, type TimedList } from './lists';
import { Order } from './order';
import type { ApiRequest } from './request';
import { isEndFor, lastPage, walk, type Stop } from './walk';

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
	entersAnywhere: sign < 0 || query?.status !== undefined,
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
	const isForward = direction < 0 || last === Infinity;
	if (isForward) order.add(first.records, false);
	yield { ...first, frontier: last === 0 ? -Infinity : order.frontier };
	if (last === 0) return;

	let end: CountedPage | undefined;
	if (direction === 0 && last !== Infinity) {
		// Equal times, as a campaign makes them, do not tell the direction.
		end = await list.read(last);
		direction = directionOf([...first.records, ...end.records].map(timeOf));
	}
	const isRising = direction > 0 && hasOrder(first.records, timeOf);
	if (isRising && last !== Infinity) yield* backward(list, order, { last, end, ...reading });
	else {
		if (!isForward) order.add(first.records, false);
		yield* forward(list, order, { first, pageSize });
	}
}

/** Whether the times of records rise or fall. */
const hasOrder = (records: IDataObject[], timeOf: (record: IDataObject) => number): boolean =>
	[false, true].some((isRising) => {
		const order = new Order(timeOf);
		order.add(records, isRising);
		return order.frontier < Infinity;
	});

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
	let stop: Stop = { ...filled, pages: [filled.page] };
	if (!filled.isLast) {
		// What has come into being meanwhile is behind it.
		const upwards = { ...filled, step: 1, pageSize, isEnd: isEndFor(pageSize) } as const;
		for await (const { pages } of walk(list, upwards)) stop.pages.unshift(...pages.reverse());
	}
	// What has left moved others to the first page, which was read before.
	const isFirstMissed = ({ left }: CountedPage) => left > 0 || (entersAnywhere && list.hasMoved);
	const isEnd = (index: number, page: CountedPage) =>
		index < 1 || (index === 1 && !isFirstMissed(page));
	// What comes into being in a list without order moves others to pages that were read.
	const isAgain = () => list.hasMoved && order.frontier === Infinity;
	const given = ({ index, page, pages }: Stop): NewestPage => {
		for (const { records } of pages) order.add(records, true);
		const isLast = isEnd(index, page) && !isAgain();
		return { ...together(page, pages), frontier: isLast ? -Infinity : order.frontier };
	};
	yield given(stop);
	const downwards = { ...filled, step: -1, pageSize, isSafe: !entersAnywhere, isEnd } as const;
	for await (stop of walk(list, downwards)) yield given(stop);
	if (isAgain()) yield* forward(list, order, { first: stop.page, pageSize });
}

/**
 * The last page that has records, at least the second, and whether none has come behind it: the total
 * can count more than what is listed with a status (docs/service.md, section 10.21).
 */
async function filledEnd(
	list: ChangingList,
	end: { index: number; page: CountedPage },
	pageSize: number,
): Promise<{ index: number; page: CountedPage; isLast: boolean }> {
	const isFull = ({ page }: typeof end) => page.records.length >= pageSize;
	if (end.page.records.length > 0) return { ...end, isLast: !isFull(end) };
	let filled = { ...end, index: 0 };
	let empty = end;
	while (empty.index - filled.index > 1 && (filled.index === 0 || isFull(filled))) {
		const index = Math.floor((filled.index + empty.index) / 2);
		const middle = { index, page: await list.read(index) };
		if (middle.page.records.length === 0) empty = middle;
		else filled = middle;
	}
	if (filled.index === 0) return { ...empty, isLast: true };
	const { come, left } = filled.page;
	const isUnmoved = come <= empty.page.come && left >= empty.page.left;
	return { ...filled, isLast: !isFull(filled) || isUnmoved };
}

/** From the second page to the end of the list. */
async function* forward(
	list: ChangingList,
	order: Order,
	{ first, pageSize }: { first: CountedPage; pageSize: number },
): AsyncGenerator<NewestPage> {
	const isEnd = isEndFor(pageSize);
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
