import type { Assumptions } from '../assumptions';

/** The present as responses and events write it. */
export const now = (): string => new Date().toISOString();

/** A chat number of digits as responses and events write it. */
export function writeChatNumber(digits: string, { chatNumbers }: Assumptions): string {
	return chatNumbers === 'plus' ? `+${digits}` : digits;
}

/** A part of records that are passed oldest first, in the assumed order. */
export function pageOf<Item extends { id: string }>(
	records: readonly Item[],
	order: Assumptions['listOrder'],
	offset: number,
	limit: number,
): Item[] {
	if (order === 'newestFirst') {
		const end = Math.max(records.length - offset, 0);
		return records.slice(Math.max(end - limit, 0), end).reverse();
	}
	const sorted = order === 'byId' ? [...records].sort((a, b) => (a.id < b.id ? -1 : 1)) : records;
	return sorted.slice(offset, offset + limit);
}
