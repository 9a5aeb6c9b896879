import type { IDataObject } from 'n8n-workflow';
import { isJsonObject } from './response';
import { inParallel } from './parallel';
import { recordsOf } from './records';
import type { ApiRequest, Call } from './request';

/** Largest page that the service gives (docs/service.md, section 8.1). */
export const maxPageSize = 100;

/** Pages read at once after the first has told the total. */
const pagesAtOnce = 5;

interface Page {
	records: IDataObject[];
	/** Records that exist, if the answer tells. */
	total?: number;
}

/**
 * Reads the `wanted` records of `/chat/campaigns` by limit and offset.
 */
export async function readByOffset(
	call: Call,
	request: ApiRequest,
	key: string,
): Promise<IDataObject[]> {
	return await readPages(request.wanted ?? Infinity, async (page, size) => {
		const query = { ...request.query, limit: size, offset: page * size };
		const answer = await call({ ...request, query });
		return { records: recordsOf(answer, key), total: count(answer.total) };
	});
}

/**
 * Reads the `wanted` records of `/voice/call-logs` by page and pageSize.
 */
export async function readByPage(
	call: Call,
	request: ApiRequest,
	key: string,
): Promise<IDataObject[]> {
	return await readPages(request.wanted ?? Infinity, async (page, size) => {
		const query = { ...request.query, page: page + 1, pageSize: size };
		const answer = await call({ ...request, query });
		const pagination = isJsonObject(answer.pagination) ? answer.pagination : answer;
		return { records: recordsOf(answer, key), total: count(pagination.total) };
	});
}

/**
 * Reads pages in order, several at once as soon as the total is known. Records that moved to a
 * later page while reading are not repeated, and pages that came into being are read too.
 */
async function readPages(
	wanted: number,
	readPage: (page: number, size: number) => Promise<Page>,
): Promise<IDataObject[]> {
	const size = Math.min(wanted, maxPageSize);
	const pages: Page[] = [];
	const records = new Map<unknown, IDataObject>();

	let needed = 1;
	while (pages.length < needed && records.size < wanted) {
		const start = pages.length;
		await inParallel({ start, end: needed, atOnce: pagesAtOnce }, async (page) => {
			pages[page] = await readPage(page, size);
		});
		for (const page of pages.slice(start)) {
			for (const record of page.records) records.set(record.id ?? record, record);
			needed = Math.max(needed, pagesNeeded(page, { wanted, size, read: pages.length }));
		}
	}
	return [...records.values()].slice(0, wanted);
}

/** How many pages hold the wanted records; without a total, one more after every full page. */
function pagesNeeded(
	{ records, total }: Page,
	{ wanted, size, read }: { wanted: number; size: number; read: number },
): number {
	if (total === undefined) return records.length >= size ? read + 1 : read;
	return Math.ceil(Math.min(wanted, total) / size);
}

const count = (value: unknown): number | undefined =>
	typeof value === 'number' && value >= 0 ? value : undefined;
