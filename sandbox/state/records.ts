import { DateTime } from 'luxon';
import type { Assumptions } from '../assumptions';

/** A moment in milliseconds since 1970 as responses and events write it. */
export function writeTime(ms: number, { timestamps }: Assumptions): string {
	if (timestamps === 'utc') return new Date(ms).toISOString();
	if (timestamps === 'offset')
		return DateTime.fromMillis(ms, { zone: 'Asia/Kolkata' }).toISO() ?? '';
	const second = DateTime.fromMillis(ms, { zone: 'UTC' }).startOf('second');
	return second.toISO({ suppressMilliseconds: true }) ?? '';
}

/** A chat number of digits as responses and events write it. */
export function writeChatNumber(digits: string, { chatNumbers }: Assumptions): string {
	return chatNumbers === 'plus' ? `+${digits}` : digits;
}

/** A voice number of digits as responses write it. */
export function writeVoiceNumber(digits: string, { voiceNumbers }: Assumptions): string {
	return voiceNumbers === 'plus' ? `+${digits}` : digits;
}

/** A part of records that are given oldest first, in the assumed order; all of them by default. */
export function pageOf<Item extends { id: string }>(
	records: readonly Item[],
	order: Assumptions['listOrder'],
	offset = 0,
	limit = Infinity,
): Item[] {
	if (order === 'newestFirst') {
		const end = Math.max(records.length - offset, 0);
		return records.slice(Math.max(end - limit, 0), end).reverse();
	}
	const sorted = order === 'byId' ? [...records].sort((a, b) => (a.id < b.id ? -1 : 1)) : records;
	return sorted.slice(offset, offset + limit);
}

/** A body with a field in each of its objects that is not documented (docs/service.md, section 9.2). */
export function withFurtherFields(body: unknown): unknown {
	if (Array.isArray(body)) return body.map(withFurtherFields);
	if (typeof body !== 'object' || body === null) return body;
	const fields = Object.entries(body).map(([name, value]) => [name, withFurtherFields(value)]);
	return { ...Object.fromEntries(fields), addedLater: 1 };
}
