import type { IDataObject } from 'n8n-workflow';

/** One page of a list. */
export interface ListPage {
	records: IDataObject[];
	/** Records that exist. */
	total?: number;
	/** Records by status, if the list counts them. */
	stats?: Record<string, number>;
}

/** Largest page that the service gives (service-api.md, section 8). */
export const pageSize = 100;

/**
 * Gives the pages of a list, newest records first.
 *
 * The documentation does not say how the lists are ordered: where the first page shows the oldest
 * records, the pages are read from the end. A wrong guess costs requests and misses nothing,
 * since the caller reads on until the totals are explained.
 *
 * @param read gives the page with that number, counted from 0
 * @param timeOf when a record came into being
 */
export async function* newestFirst(
	read: (page: number) => Promise<ListPage>,
	timeOf: (record: IDataObject) => number,
): AsyncGenerator<ListPage> {
	const first = await read(0);
	const last = lastPage(first);
	const direction = directionOf(first.records.map(timeOf));
	// A page of equal times, as a campaign makes them, does not tell the direction.
	const end = direction === 0 && last > 0 && last < Infinity ? await read(last) : undefined;
	const isOldestFirst =
		direction > 0 ||
		(end !== undefined && directionOf([...first.records, ...end.records].map(timeOf)) > 0);

	if (!isOldestFirst || last === Infinity) {
		let page = first;
		yield page;
		for (let number = 1; number <= last && page.records.length > 0; number++) {
			page = await read(number);
			yield page;
			if (last === Infinity && page.records.length < pageSize) return;
		}
		return;
	}
	for (let number = last; number > 0; number--) {
		const page = number === last && end ? end : await read(number);
		// The totals of the first look go with every page: later ones count records not seen yet.
		yield { ...page, total: first.total, stats: first.stats };
	}
	yield first;
}

/** Number of the last page; Infinity if the list does not tell and may go on. */
function lastPage({ records, total }: ListPage): number {
	if (total !== undefined) return Math.max(0, Math.ceil(total / pageSize) - 1);
	return records.length < pageSize ? 0 : Infinity;
}

/** Above 0 if times rise from the first to the last record, below 0 if they fall. */
function directionOf(times: number[]): number {
	return (times[times.length - 1] ?? 0) - (times[0] ?? 0);
}
