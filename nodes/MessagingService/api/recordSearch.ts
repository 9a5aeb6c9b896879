import { compact, isNil } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Call } from './client';
import { readPage, type List } from './lists';
import { idOf } from './newest';

/** Maximum records that a search reads from each end of a list. */
export const maxPerEnd = 10_000;

/**
 * Finds records by ID. The order of a list is not documented, so the pages of both ends are read, only as far as
 * needed. Later searches use what earlier ones have read (docs/contract.md, section 3.8).
 */
export class RecordSearch {
	private readonly records = new Map<string, IDataObject>();
	private reading: AsyncGenerator<IDataObject[], string> | undefined;
	private step: Promise<void> | undefined;
	/** How far the list was read, as a sentence; empty until the reading has ended. */
	extent = '';

	/** @param idKey the key of the records' IDs */
	constructor(
		private readonly list: List,
		private readonly idKey: string,
	) {}

	/** The record with this ID; undefined if the list does not show it. Throws Failure. */
	async find(call: Call, id: string): Promise<IDataObject | undefined> {
		while (!this.records.has(id) && this.extent === '') {
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
			for (const record of value.filter((one) => !isNil(one[this.idKey])))
				this.records.set(String(record[this.idKey]), record);
	}
}

/** Yields the records of the next page of each end; returns how far the list was read. Throws Failure. */
async function* pagesFromBothEnds(call: Call, list: List): AsyncGenerator<IDataObject[], string> {
	const readAt = async (index: number, size?: number) =>
		await readPage(call, list, undefined, { index, size, fresh: true });
	const first = await readAt(0);
	yield first.records;
	const { size } = first;
	const total = first.total === undefined ? NaN : Number(first.total);
	const ids = new Set(first.records.map(idOf));
	const all = () => `The node read all ${ids.size} records of the list.`;
	if (first.records.length === 0 || first.records.length < size) return all();
	const pagesPerEnd = Math.ceil(maxPerEnd / size);
	let isChanged = false;
	for (let front = 1; front <= pagesPerEnd; front++) {
		const back = Math.ceil(total / size) - front;
		const [page, backPage] = await Promise.all([
			front < pagesPerEnd ? readAt(front, size) : undefined,
			back > front ? readAt(back, size) : undefined,
		]);
		const countBefore = ids.size;
		for (const { records } of compact([page, backPage])) {
			yield records;
			for (const record of records) ids.add(idOf(record));
		}
		isChanged ||= compact([page, backPage]).some((one) => one.total !== first.total);
		// Without a total, only known records mean that the list repeats its pages.
		const isRepeated = Number.isNaN(total) && ids.size === countBefore;
		const isLast = isRepeated || (page && page.records.length < size);
		// In a list that grows, records move between the pages, so the first pages are read on.
		if (isLast || (back <= front + 1 && !isChanged)) return all();
	}
	const counted = Number.isNaN(total) ? ids.size : `${ids.size} of ${total}`;
	return `The node read ${counted} records, up to ${maxPerEnd} from each end of the list.`;
}
