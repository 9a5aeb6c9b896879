import type { ChangingList, CountedPage } from './changingList';
import type { ListPage } from './lists';

/** Records that may come into being while a list is read: those of two campaigns (docs/service.md, section 8.1). */
const mostGrowth = 20_000;

/** Pages of a list that is read to its end: one that grows faster than it is read would never end. */
const mostPages = (known: number, pageSize: number): number =>
	2 * known + Math.ceil(mostGrowth / pageSize);

/** A page that was read, and its number. */
export interface Place {
	index: number;
	page: CountedPage;
}

/** Where a way through the pages has come to. */
export interface Stop extends Place {
	/** This page, and before it what was read again. */
	pages: ListPage[];
}

/** A way through the pages of a list, from one that was read. */
export interface Way extends Place {
	step: 1 | -1;
	pageSize: number;
	/** Whether nothing moves to pages that were passed. */
	isSafe?: boolean;
	/** Whether a page is the last one. */
	isEnd(index: number, page: CountedPage): boolean;
}

/**
 * Reads page after page. What leaves the list moves others to earlier pages, what comes to later ones:
 * where that may be a page that was passed, it is read again.
 */
export async function* walk(
	list: ChangingList,
	{ index, page, step, pageSize, isSafe = false, isEnd }: Way,
): AsyncGenerator<Stop> {
	const [behind, ahead] = step === 1 ? (['left', 'come'] as const) : (['come', 'left'] as const);
	let left = mostPages(lastPage(page, index, pageSize), pageSize);
	while (!isEnd(index, page) && left-- > 0) {
		const before = page[behind];
		const pagesMoved = () =>
			isSafe ? 0 : Math.ceil(Math.min(page[behind] - before, mostGrowth) / pageSize);
		index += step;
		page = await list.read(index);
		const next = { index, page };
		let back = 0;
		while (back < pagesMoved()) {
			back = pagesMoved();
			index = Math.max(0, next.index - step * back);
			page = await list.read(index);
		}
		const pages = [page];
		// No page lies between the two, and nothing has moved to the one that was read first.
		if (index === next.index - step && page[ahead] === next.page[ahead]) {
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
