import type { ChangingList } from './changingList';
import type { ListPage } from './lists';

/** Records that may come into being while a list is read: those of two campaigns (docs/service.md, section 8.1). */
const mostGrowth = 20_000;

/** Pages of a list that is read to its end: one that grows faster than it is read would never end. */
const mostPages = (known: number, pageSize: number): number =>
	2 * known + Math.ceil(mostGrowth / pageSize);

/** A way through the pages of a list. */
export interface Way {
	/** A page that was read, where it begins. */
	index: number;
	page: ListPage;
	step: 1 | -1;
	pageSize: number;
	/** How many records may have moved, between two reads, to pages that were passed. */
	moved(before: ListPage, after: ListPage): number;
	/** Whether a page is the last one. */
	isEnd(index: number, page: ListPage): boolean;
}

/** Where a way has come to. */
export interface Stop {
	index: number;
	page: ListPage;
	/** This page, and before it what was read again. */
	pages: ListPage[];
}

/** Reads page after page. What has moved meanwhile to a page that was passed is read again. */
export async function* walk(
	list: ChangingList,
	{ index, page, step, pageSize, moved, isEnd }: Way,
): AsyncGenerator<Stop> {
	const pagesMoved = (before: ListPage, after: ListPage) =>
		Math.ceil(Math.min(moved(before, after), mostGrowth) / pageSize);
	let left = mostPages(lastPage(page, index, pageSize), pageSize);
	while (!isEnd(index, page) && left-- > 0) {
		const before = page;
		index += step;
		page = await list.read(index);
		const next = { index, page };
		let back = 0;
		while (back < pagesMoved(before, page) && index > 0) {
			back = pagesMoved(before, page);
			index = Math.max(0, next.index - step * back);
			page = await list.read(index);
		}
		const pages = [page];
		// No page lies between the two, and nothing has moved to the one that was read first.
		if (index === next.index - step && moved(page, next.page) <= 0) {
			pages.push(next.page);
			({ index, page } = next);
		}
		yield { index, page, pages };
	}
}

/** Number of the last page; Infinity if the list does not tell and may go on. */
export function lastPage({ records, total }: ListPage, number: number, pageSize: number): number {
	if (records.length === 0) return number;
	if (total !== undefined) return Math.max(0, Math.ceil(total / pageSize) - 1);
	return records.length < pageSize ? number : Infinity;
}

/** Whether a page is the last. Asked after every page: what comes moves others to later pages. */
export const isEndFor =
	(pageSize: number): Way['isEnd'] =>
	(index, page) =>
		index >= lastPage(page, index, pageSize);
