import { orderBy } from 'lodash';
import type { Assumptions } from '../assumptions';

/** A part of records that are passed oldest first, in the assumed order. */
export function pageOf<Item extends { id: string; updatedAt: string }>(
	records: readonly Item[],
	order: Assumptions['listOrder'],
	offset: number,
	limit: number,
): Item[] {
	if (order === 'newestFirst') {
		const end = Math.max(records.length - offset, 0);
		return records.slice(Math.max(end - limit, 0), end).reverse();
	}
	const sorted = {
		oldestFirst: () => records,
		byId: () => orderBy(records, 'id'),
		byChange: () => orderBy([...records].reverse(), 'updatedAt', 'desc'),
	}[order]();
	return sorted.slice(offset, offset + limit);
}
