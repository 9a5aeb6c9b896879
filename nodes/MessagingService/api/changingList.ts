import type { ListPage } from './lists';

/**
 * Gives the page with that number, counted from 0.
 *
 * @param fresh whether it was read before and may have changed since
 */
export type ReadPage = (index: number, fresh?: boolean) => Promise<ListPage>;

/** Whether a list has changed between two reads. */
export const isMoved = (page: ListPage, before: ListPage): boolean =>
	page.total !== before.total || !isEqual(page.stats, before.stats);

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Whether a page shows what the first one showed. Once, as many records may have come into being as
 * fill the pages between; twice, the list shows one page for all and would never end.
 */
export const isSame = (page: ListPage, first: ListPage): boolean =>
	!isMoved(page, first) &&
	page.records.length === first.records.length &&
	page.records.every((record, n) => isEqual(record, first.records[n]));

/** A page, and what is known of the list at the time when it was read. */
export interface CountedPage extends ListPage {
	/** Records that have left the list since the first page was read. */
	left: number;
	/** Records that have come into it. */
	come: number;
}

/** A list that may change while it is read. */
export class ChangingList {
	/** Whether its counts have changed since the first page. */
	hasMoved = false;

	private left = 0;

	private come = 0;

	private first?: ListPage;

	private before?: ListPage;

	private indexBefore = 0;

	private hasRepeated = false;

	private readonly seen = new Set<number>();

	constructor(private readonly readAny: ReadPage) {}

	/** Gives the page with that number; without records if the list shows one page for all. */
	async read(index: number): Promise<CountedPage> {
		const page = await this.readAny(index, this.seen.has(index));
		this.seen.add(index);
		const { first = page, before = page } = this;
		this.first = first;
		this.before = page;
		this.hasMoved ||= isMoved(page, first);
		const risen = (page.total ?? 0) - (before.total ?? 0);
		this.come += Math.max(0, risen);
		this.left += Math.max(0, -risen);
		const { left, come } = this;
		return {
			...page,
			records: this.isRepeated(index, page, first) ? [] : page.records,
			left,
			come,
		};
	}

	private isRepeated(index: number, page: ListPage, first: ListPage): boolean {
		// What comes into being between two reads moves the records of the one page to the next.
		const isNext = index === this.indexBefore + 1;
		this.indexBefore = index;
		if (index === 0 || !isSame(page, first)) return false;
		const isFirst = !this.hasRepeated;
		this.hasRepeated = true;
		return !isNext || !isFirst;
	}
}
