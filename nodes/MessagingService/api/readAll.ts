import type { IDataObject } from 'n8n-workflow';
import { isMoved, isSame, type ReadPage } from './changingList';
import { maxPageSize, readPage, type ListPage, type TimedList } from './lists';
import { newestFirst, readingOf } from './pages';
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
	list: TimedList,
	query?: ApiRequest['query'],
): Promise<IDataObject[]> {
	const first = await readPage(call, list, query);
	const pages = [first];
	let needed = pagesNeeded(first, 1);
	let repeats = 0;
	let isOver = first.records.length === 0;
	while (pages.length < needed && !isOver) {
		const start = pages.length;
		await inParallel(
			{ start, end: needed, atOnce: pagesAtOnce },
			async (index) => {
				const page = await readPage(call, list, query, { index });
				pages[index] = page;
				if (isSame(page, first)) repeats++;
				isOver ||= page.records.length === 0 || repeats > 1;
			},
			() => isOver,
		);
		for (const page of pages.slice(start)) {
			needed = Math.max(needed, pagesNeeded(page, pages.length));
		}
	}
	// One page for all: what there is of it has been read.
	if (repeats > 1) return recordsOf([first]);
	// A page that was read before an earlier one may have got records of that one since.
	if (pages.some((page) => isMoved(page, first))) {
		const read: ReadPage = async (index) =>
			await readPage(call, list, query, { index, fresh: true });
		for await (const page of newestFirst(read, readingOf(list, query))) pages.push(page);
	}
	return recordsOf(pages);
}

/** The records of pages, each once. */
const recordsOf = (pages: ListPage[]): IDataObject[] => [
	...new Map(
		pages.flatMap(({ records }) => records.map((record) => [record.id ?? record, record])),
	).values(),
];

/** How many pages hold the records; without a total, one more after every full page. */
function pagesNeeded({ records, total }: ListPage, read: number): number {
	if (total === undefined) return records.length >= maxPageSize ? read + 1 : read;
	return Math.ceil(total / maxPageSize);
}
