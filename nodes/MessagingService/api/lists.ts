import { capitalize, get } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, Call } from './client';
import { endpoints, type Endpoint } from './endpoints';
import { isJsonObject, unknownShape } from './response';

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
	const records = recordsOf(response, key);
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

/** The list in a response or one level down: under the documented key, or the only array. */
function recordsOf(response: IDataObject, key: string): IDataObject[] {
	const places = [response, ...Object.values(response).filter(isJsonObject)];
	const named = places.find((place) => place[key] !== undefined);
	const arrays = places.flatMap((place) => Object.values(place)).filter(Array.isArray);
	// Some languages write null for an empty list.
	const list = named ? (named[key] ?? []) : arrays.length === 1 && arrays[0];
	if (Array.isArray(list)) return list.filter(isJsonObject);
	throw unknownShape(response, `list of ${key}`);
}

/** Whether a time has an offset, so that it can be compared with a clock. */
export const hasOffset = (record: IDataObject, field: string): boolean =>
	/:\d.{0,40}(Z|[+-]\d\d:?\d\d)$/i.test(String(record[field]));

/** A record's time in milliseconds (UTC if no offset); 0 if it cannot be read. */
export const timeIn = (record: IDataObject, field: string): number =>
	Date.parse(`${String(record[field])}${hasOffset(record, field) ? '' : 'Z'}`) || 0;

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
