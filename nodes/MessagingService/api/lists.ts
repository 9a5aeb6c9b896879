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
export interface TimedList extends List {
	time: string;
}

/** Every list of the service (docs/service.md, section 4). */
export const lists = {
	calls: {
		endpoint: endpoints.getCalls,
		key: 'data',
		time: 'createdAt',
		page: (index, size) => ({ page: index + 1, pageSize: size }),
	},
	messages: {
		endpoint: endpoints.getMessages,
		key: 'messages',
		time: 'sentAt',
		page: (index, size) => ({ limit: size, offset: index * size }),
	},
	numbers: { endpoint: endpoints.getNumbers, key: 'configs' },
	webhooks: { endpoint: endpoints.getWebhooks, key: 'webhooks' },
} satisfies Record<string, List | TimedList>;

/** One page of a list. */
export interface ListPage {
	records: IDataObject[];
	/** Records on a full page: fewer than were asked for where the response says so. */
	size: number;
	/** Records that exist, if the response tells; with a status, it may count those with others. */
	total?: number;
	/** All that the response counts, in a form that can be compared. */
	counts: string;
}

/**
 * Reads one page of a list.
 *
 * @param index counted from 0
 * @param fresh whether to read it although it was read before
 * @throws Failure when the response holds no list: an empty result would be a guess
 */
export async function readPage(
	call: Call,
	{ endpoint, key, page }: List,
	query?: ApiRequest['query'],
	{
		index = 0,
		size = maxPageSize,
		fresh = false,
	}: { index?: number; size?: number; fresh?: boolean } = {},
): Promise<ListPage> {
	const request = page ? { endpoint, query: { ...query, ...page(index, size) } } : { endpoint };
	const response = await call(request, { fresh });
	const all: unknown = get(response, 'pagination.total') ?? response.total;
	const { stats } = response;
	const told: unknown = get(response, 'pagination.pageSize') ?? response.limit;
	const records = recordsOf(response, key);
	return {
		records,
		size: isCount(told) && told > 0 ? Math.max(records.length, Math.min(told, size)) : size,
		// With a status, `total` may count the others too (docs/service.md, section 10.21).
		total: [get(stats, String(query?.status)) as unknown, all].find(isCount),
		counts: JSON.stringify([all, stats]),
	};
}

const isCount = (value: unknown): value is number =>
	Number.isSafeInteger(value) && Number(value) >= 0;

const withoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/**
 * A record's time in milliseconds; 0 if it has none that can be read. Without an offset it is taken
 * for UTC, so that it does not depend on the machine.
 */
export function timeIn(record: IDataObject, field: string): number {
	const value = record[field];
	if (typeof value === 'number') return value;
	const text = String(value);
	const time = new Date(withoutOffset.test(text) ? `${text.replace(' ', 'T')}Z` : text).getTime();
	return Number.isNaN(time) ? 0 : time;
}

/** Whether a record's time is written with a time of day and its offset, so that it can be compared with a clock. */
export const hasOffset = (record: IDataObject, field: string): boolean =>
	/:\d.*(Z|[+-]\d\d:?\d\d)$/i.test(String(record[field]));

/**
 * The list inside a response: under the documented key, or the only array in it or one level down.
 * The documentation does not show every list's wrapping.
 *
 * @throws Failure when the response holds no list
 */
function recordsOf(response: IDataObject, key: string): IDataObject[] {
	const list = findList(response, key);
	if (list) return list.filter(isJsonObject);
	throw unknownShape(response, `a list of ${key}`);
}

function findList(response: IDataObject, key: string): unknown[] | undefined {
	const named = response[key];
	if (Array.isArray(named)) return named;
	// What some languages write for an empty list.
	if (named === null) return [];
	const found = Object.values(response).filter((value) => Array.isArray(value));
	if (found.length === 1) return found[0] as unknown[];
	if (found.length > 1) return undefined;
	const nested = Object.values(response)
		.filter(isJsonObject)
		.map((value) => findList(value, key))
		.filter((list) => list !== undefined);
	return nested.length === 1 ? nested[0] : undefined;
}

/** Statuses in the order in which a message goes through them; the service does not document it (docs/service.md, section 3). */
const course = ['Sent', 'Delivered', 'Read'];

/** The status of a message, as the documentation writes it. */
export const statusOf = ({ status }: IDataObject): string => capitalize(String(status));

/** The statuses that a message with this one has reached: what is read was delivered, seen or not. */
export const statusesReached = (status: string): string[] =>
	course.includes(status) ? course.slice(0, course.indexOf(status) + 1) : [status];
