import { compact, isEqual, isNil, map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Call } from './client';
import { readPage, type List } from './lists';
import { idOf } from './newest';

/** Maximum records that a search reads from each end of a list, and maximum pages, which may be smaller. */
export const maxPerEnd = 10_000;
const maxPagesPerEnd = 1_000;

/**
 * Finds records by ID. The order of a list is not documented, so the pages of both ends are read, only as far as
 * needed. All searches of a run share the reading, which keeps only the records that they look for (docs/contract.md,
 * section 3.8).
 */
export class RecordSearch {
	/** The records that are looked for, by their ID; undefined until they are found. */
	private readonly records = new Map<string, IDataObject | undefined>();
	private reading: AsyncGenerator<IDataObject[], string> | undefined;
	private step: Promise<void> | undefined;
	/** How far the list was read, as a sentence; empty until the reading has ended. */
	extent = '';

	/** @param idsIn returns what may be the ID of a record */
	constructor(
		private readonly list: List,
		private readonly idsIn: (record: IDataObject) => unknown[],
	) {}

	/** Keeps the record with this ID when it is read. Call this for every ID before the first `find`. */
	want(id: string): void {
		if (!this.records.has(id)) this.records.set(id, undefined);
	}

	/** The record with a wanted ID; undefined if the list does not show it. Throws Failure. */
	async find(call: Call, id: string): Promise<IDataObject | undefined> {
		while (!this.records.get(id) && this.extent === '') {
			// Searches at the same time share each step.
			this.step ??= this.readOn(call).finally(() => (this.step = undefined));
			await this.step;
		}
		return this.records.get(id);
	}

	private async readOn(call: Call): Promise<void> {
		const reading = this.reading ?? pagesFromBothEnds(call, this.list);
		// A generator that has thrown does not continue: the next search starts over.
		this.reading = undefined;
		const { done, value } = await reading.next();
		this.reading = reading;
		if (done) this.extent = value;
		else
			for (const record of value)
				for (const id of this.idsIn(record))
					if (!isNil(id) && this.records.has(String(id))) this.records.set(String(id), record);
	}
}

/** The search of each run, because all items of a run share what it reads. */
const searches = new WeakMap<object, RecordSearch>();

/** The search of the run with this context, in the list of its operation; see the constructor. */
export function searchOf(context: object, ...parts: ConstructorParameters<typeof RecordSearch>) {
	const search = searches.get(context) ?? new RecordSearch(...parts);
	searches.set(context, search);
	return search;
}

/** Yields the records of the next page of each end; returns how far the list was read. Throws Failure. */
async function* pagesFromBothEnds(call: Call, list: List): AsyncGenerator<IDataObject[], string> {
	const readAt = async (index: number, size?: number) =>
		await readPage(call, list, undefined, { index, size, fresh: true });
	const first = await readAt(0);
	yield first.records;
	const { size } = first;
	const total = first.total === undefined ? NaN : Number(first.total);
	let count = first.records.length;
	const all = () =>
		isChanged ? 'The node read the whole list.' : `The node read all ${count} records of the list.`;
	let isChanged = false;
	if (count === 0 || count < size) return all();
	const pagesPerEnd = Math.min(Math.ceil(maxPerEnd / size), maxPagesPerEnd);
	let previous: string[] | undefined = map(first.records, idOf);
	for (let front = 1; front <= pagesPerEnd; front++) {
		const back = Math.ceil(total / size) - front;
		const [page, backPage] = await Promise.all([
			front < pagesPerEnd ? readAt(front, size) : undefined,
			back > front ? readAt(back, size) : undefined,
		]);
		const pages = compact([page, backPage]);
		isChanged ||= !Number.isNaN(total) && pages.some((one) => one.total !== first.total);
		// If the total is unchanged, equal pages mean that the list repeats one for ever.
		const read = pages.map(({ records }) => map(records, idOf));
		if (page && !isChanged && read.every((ids) => isEqual(ids, previous))) return all();
		previous = read[0];
		for (const { records } of pages) {
			yield records;
			count += records.length;
		}
		const isLast = page && page.records.length < size;
		// In a list that grows, records move between the pages, so the first pages are read on.
		if (isLast || (back <= front + 1 && !isChanged)) return all();
	}
	return Number.isNaN(total)
		? `The node read the first ${count} records of the list.`
		: `The node read ${count} of ${total} records, up to ${pagesPerEnd * size} from each end of the list.`;
}
