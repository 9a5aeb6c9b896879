import type { IDataObject } from 'n8n-workflow';
import { maxPageSize, readPage, type List, type ListPage } from './lists';
import { inParallel } from './parallel';
import type { ApiRequest, Call } from './request';

/** Pages read at once after the first has told the total. */
const pagesAtOnce = 5;

/**
 * Reads up to `limit` records of a list, Infinity for all, several pages at once as soon as the
 * total is known. Records that moved to a later page while reading are not repeated, and pages that
 * came into being are read too.
 */
export async function readAll(
	call: Call,
	list: List,
	{ query, limit }: { query?: ApiRequest['query']; limit: number },
): Promise<IDataObject[]> {
	const size = Math.min(limit, maxPageSize);
	const pages: ListPage[] = [];
	const records = new Map<unknown, IDataObject>();

	let needed = 1;
	while (pages.length < needed && records.size < limit) {
		const start = pages.length;
		await inParallel({ start, end: needed, atOnce: pagesAtOnce }, async (index) => {
			pages[index] = await readPage(call, list, query, { index, size });
		});
		for (const page of pages.slice(start)) {
			for (const record of page.records) records.set(record.id ?? record, record);
			needed = Math.max(needed, pagesNeeded(page, { limit, size, read: pages.length }));
		}
	}
	return [...records.values()].slice(0, limit);
}

/** How many pages hold the records; without a total, one more after every full page. */
function pagesNeeded(
	{ records, total }: ListPage,
	{ limit, size, read }: { limit: number; size: number; read: number },
): number {
	if (total === undefined) return records.length >= size ? read + 1 : read;
	return Math.ceil(Math.min(limit, total) / size);
}
