import type { IDataObject } from 'n8n-workflow';

/** One page of a list. */
export interface ListPage {
	records: IDataObject[];
	/** Records that exist. */
	total?: number;
	/** Records by status, if the list counts them. */
	stats?: Record<string, number>;
}

/** Gives the page with that number, counted from 0. */
export type ReadPage = (page: number) => Promise<ListPage>;

/**
 * Gives the first page of a list, then the others with the newest records first.
 *
 * The documentation does not say how the lists are ordered: where the first page shows the oldest
 * records, the others are read from the end. A wrong guess costs requests and misses nothing,
 * because the caller reads on until the counts are explained.
 *
 * @param timeOf when a record came into being
 * @param pageSize records on a page that is not the last
 */
export async function* newestFirst(
	read: ReadPage,
	{ timeOf, pageSize }: { timeOf: (record: IDataObject) => number; pageSize: number },
): AsyncGenerator<ListPage> {
	const first = await read(0);
	yield first;

	const last = lastPage(first, 0, pageSize);
	if (last === 0) return;
	let direction = directionOf(first.records.map(timeOf));
	let end: ListPage | undefined;
	if (direction === 0 && last !== Infinity) {
		// Equal times, as a campaign makes them, do not tell the direction.
		end = await read(last);
		direction = directionOf([...first.records, ...end.records].map(timeOf));
	}

	if (direction > 0 && last !== Infinity) {
		yield end ?? (await read(last));
		for (let number = last - 1; number > 0; number--) yield await read(number);
		return;
	}
	let page = first;
	// Asked again after every page: what comes into being moves the others to later pages.
	for (let number = 1; number <= lastPage(page, number - 1, pageSize); number++) {
		page = await read(number);
		yield page;
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
