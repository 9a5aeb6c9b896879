import { capitalize, get, omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, Call } from './client';
import { endpoints, type Endpoint } from './endpoints';
import { isJsonObject, unknownShape } from './response';
import { momentOf, type Moment } from './times';

/** Records on the largest page of the service (docs/service.md, section 8). */
export const maxPageSize = 100;

export interface List {
	endpoint: Endpoint;
	/** Documented key of the records in a response. */
	key: string;
	/** The query of a page, counted from 0; absent if the list has no pages. */
	paging?(index: number, size: number): Record<string, number>;
}

/** A list whose records have a creation time under the key `time`; its order is not documented. */
export type TimedList = List & { time: string };

const byPage: List['paging'] = (index, size) => ({ page: index + 1, pageSize: size });
const byOffset: List['paging'] = (index, size) => ({ limit: size, offset: index * size });

/** Every list of the service (docs/service.md, section 4). */
export const lists = {
	calls: { endpoint: endpoints.getCalls, key: 'data', time: 'createdAt', paging: byPage },
	messages: { endpoint: endpoints.getMessages, key: 'messages', time: 'sentAt', paging: byOffset },
	numbers: { endpoint: endpoints.getNumbers, key: 'configs' },
	webhooks: { endpoint: endpoints.getWebhooks, key: 'webhooks' },
} satisfies Record<string, List | TimedList>;

/** Reads one page, counted from 0; throws Failure if the response has no list. */
export async function readPage(
	call: Call,
	{ endpoint, key, paging }: List,
	query?: ApiRequest['query'],
	options: { index?: number; size?: number; fresh?: boolean } = {},
) {
	const { index = 0, size = maxPageSize, fresh = false } = options;
	const request = paging ? { endpoint, query: { ...query, ...paging(index, size) } } : { endpoint };
	const response = await call(request, { fresh });
	const records = listIn(response, key);
	const total: unknown = get(response, 'pagination.total') ?? response.total ?? undefined;
	// If the total exceeds the records on the first page, that page is full, whatever size is stated.
	const isFull = index === 0 && records.length < Number(total);
	const stated = Number(get(response, 'pagination.pageSize') ?? response.limit) || size;
	/** Records on a full page, which may be fewer than requested. */
	const fullSize = Math.max(records.length, isFull ? 0 : Math.min(size, stated));
	return {
		records,
		size: fullSize,
		/** Total of the list; undefined if it may only be the count of this page. */
		total: records.length === fullSize && Number(total) <= fullSize ? undefined : total,
		stats: response.stats,
		/** All counts of the response, in a form that can be compared. */
		counts: JSON.stringify([total, response.stats]),
	};
}

/**
 * The list in a response or one level down: under the documented key; otherwise the only array of objects, or of
 * objects with an ID. null is an empty list, as some languages write it.
 */
function listIn(response: IDataObject, key: string): IDataObject[] {
	const places = [response, ...Object.values(response).filter(isJsonObject)];
	const named = places.find((place) => place[key] !== undefined);
	const values: unknown[] = named
		? [named[key]]
		: places.flatMap((place) => Object.values(omit(place, 'error')));
	const arrays = values.filter(Array.isArray).map((array) => array.filter(isJsonObject));
	const full = arrays.filter(({ length }) => length > 0);
	const withIds = full.filter((records) => records.every(({ id }) => id !== undefined));
	const [list, ...others] = full.length > 1 ? withIds : full;
	if (list && others.length === 0) return list;
	const isEmpty = arrays.length > 0 || values.filter((value) => value === null).length === 1;
	if (isEmpty && full.length === 0) return [];
	throw unknownShape(response, `list of ${key}`);
}

/** When a record was created, or last changed if that cannot be read: a message that failed may have no `sentAt`. */
const momentIn = (record: IDataObject, field: string): Moment | undefined =>
	momentOf(record[field]) ?? momentOf(record.updatedAt);

/** A record's time in milliseconds (UTC if no offset). Infinity if it cannot be read, because it may be new. */
export const timeIn = (record: IDataObject, field: string): number =>
	momentIn(record, field)?.time ?? Infinity;

/** Whether a record's time has an offset, so that it can be compared with a clock. */
export const hasOffset = (record: IDataObject, field: string): boolean =>
	momentIn(record, field)?.hasOffset === true;

/** Zones differ by at most this from UTC, in milliseconds. */
export const widestZone = 14 * 60 * 60 * 1_000;

/**
 * Whether a record is certainly from before a time, which it is compared with as exactly as it is written.
 *
 * @param anyZone whether a time without an offset may be from any zone; it counts as UTC otherwise
 */
export function isOlder(record: IDataObject, field: string, time: number, anyZone = false) {
	const { last, hasOffset: isKnown } = momentIn(record, field) ?? {
		last: Infinity,
		hasOffset: true,
	};
	return last + (anyZone && !isKnown ? widestZone : 0) < time;
}

export const statusOf = ({ status }: IDataObject): string => capitalize(String(status));

/** The statuses that a message has reached: a read message was also delivered. */
export function statusesReached(status: string): string[] {
	const course = ['Sent', 'Delivered', 'Read'];
	return course.includes(status) ? course.slice(0, course.indexOf(status) + 1) : [status];
}

const openStatuses = ['initiated', 'in-progress', 'answered'];
const endStatuses = ['success', 'no-answer', 'failed'];

/** Whether a call has ended. Until then its duration is 0 (docs/service.md, section 10.5). */
export const hasEnded = ({ callStatus, status, duration }: IDataObject): boolean => {
	const texts = [callStatus, status].map((text) => String(text).toLowerCase());
	// If the value of `callStatus` is not a documented one, the label in `status` counts.
	const documented = texts.find((text) => [...openStatuses, ...endStatuses].includes(text));
	return endStatuses.includes(String(documented)) || Number(duration) > 0;
};
