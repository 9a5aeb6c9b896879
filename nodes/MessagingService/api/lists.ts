import { capitalize, get } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, Call } from './client';
import { endpoints, type Endpoint } from './endpoints';
import { isJsonObject, unknownShape } from './response';

/** Records on the largest page that the service gives (docs/service.md, section 8). */
export const maxPageSize = 100;

/** A list of the service: where it is, and how its pages are asked for. */
export interface List {
	endpoint: Endpoint;
	/** Where the documentation shows the records. */
	key: string;
	/** The query of a page, counted from 0; absent for lists that come whole. */
	page?(index: number, size: number): Record<string, number>;
}

/** A list whose records have the time at which they came into being; its order is not documented. */
export type TimedList = List & { time: string };

const byPage: List['page'] = (index, size) => ({ page: index + 1, pageSize: size });
const byOffset: List['page'] = (index, size) => ({ limit: size, offset: index * size });

/** Every list of the service (docs/service.md, section 4). */
export const lists = {
	calls: { endpoint: endpoints.getCalls, key: 'data', time: 'createdAt', page: byPage },
	messages: { endpoint: endpoints.getMessages, key: 'messages', time: 'sentAt', page: byOffset },
	numbers: { endpoint: endpoints.getNumbers, key: 'configs' },
	webhooks: { endpoint: endpoints.getWebhooks, key: 'webhooks' },
} satisfies Record<string, List | TimedList>;

/** Reads one page, counted from 0; throws Failure where there is no list: an empty one would be a guess. */
export async function readPage(
	call: Call,
	{ endpoint, key, page }: List,
	query?: ApiRequest['query'],
	options: { index?: number; size?: number; fresh?: boolean } = {},
) {
	const { index = 0, size = maxPageSize, fresh = false } = options;
	const request = page ? { endpoint, query: { ...query, ...page(index, size) } } : { endpoint };
	const response = await call(request, { fresh });
	const records = recordsOf(response, key);
	const total: unknown = get(response, 'pagination.total') ?? response.total ?? undefined;
	// What the first page shows where there are more is a full page, whatever the response says.
	const isFull = index === 0 && records.length < Number(total);
	const told = isFull ? 0 : Number(get(response, 'pagination.pageSize') ?? response.limit) || size;
	/** Records on a full page: fewer than were asked for where the response says so. */
	const full = Math.max(records.length, Math.min(size, told));
	return {
		records,
		size: full,
		/** Records that exist, if the response tells: no more than a full page has may be that page's count. */
		total: records.length === full && Number(total) <= full ? undefined : total,
		stats: response.stats,
		/** All that the response counts, in a form that can be compared. */
		counts: JSON.stringify([total, response.stats]),
	};
}

/** The list in a response or one level down: under the documented key, or the only array. */
function recordsOf(response: IDataObject, key: string): IDataObject[] {
	const places = [response, ...Object.values(response).filter(isJsonObject)];
	const named = places.find((place) => place[key] !== undefined);
	const arrays = places.flatMap((place) => Object.values(place)).filter(Array.isArray);
	// Null is what some languages write for an empty list.
	const list = named ? (named[key] ?? []) : arrays.length === 1 && arrays[0];
	if (Array.isArray(list)) return list.filter(isJsonObject);
	throw unknownShape(response, `a list of ${key}`);
}

/** Whether a record's time has a time of day and its offset, so that a clock can be compared with it. */
export const hasOffset = (record: IDataObject, field: string): boolean =>
	/:\d.{0,40}(Z|[+-]\d\d:?\d\d)$/i.test(String(record[field]));

/** A record's time in milliseconds, in UTC if it has no offset; 0 if it cannot be read. */
export const timeIn = (record: IDataObject, field: string): number =>
	Date.parse(`${String(record[field])}${hasOffset(record, field) ? '' : 'Z'}`) || 0;

/** The status of a message, as the documentation writes it. */
export const statusOf = ({ status }: IDataObject): string => capitalize(String(status));

/** The statuses that a message with this one has reached: what is read was delivered, seen or not. */
export function statusesReached(status: string): string[] {
	const course = ['Sent', 'Delivered', 'Read'];
	return course.includes(status) ? course.slice(0, course.indexOf(status) + 1) : [status];
}

const openStatuses = ['initiated', 'in-progress', 'answered'];
const endStatuses = ['success', 'no-answer', 'failed'];

/** Whether a call has ended: until then its duration is 0, whatever statuses come (docs/service.md, section 10.5). */
export const hasEnded = ({ callStatus, status, duration }: IDataObject): boolean => {
	const texts = [callStatus, status].map((text) => String(text).toLowerCase());
	// The dashboard's label counts where the status is none that is documented.
	const known = texts.find((text) => [...openStatuses, ...endStatuses].includes(text));
	return endStatuses.includes(String(known)) || Number(duration) > 0;
};
