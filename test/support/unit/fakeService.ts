import { orderBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest } from '../../../nodes/MessagingService/api/client';

/** How a list shows its records; `lastChange` has those first that changed last, `mixed` no order at all. */
export type Order = 'newestFirst' | 'oldestFirst' | 'lastChange' | 'mixed';

interface Settings {
	order?: Order;
	/** Records on its largest page, which each page states; as many as requested by default. */
	largest?: number;
	/** The counts of a page of a list with so many records; by default, their number as the total. */
	totals?(listed: number): IDataObject;
	/** Called before each response; awaited if it returns a promise. */
	onRequest?(query: Record<string, number>): unknown;
}

/** A service with a list of messages and calls, held in memory: one record with number 1, 2, … each. */
export class FakeService {
	/** The queries of all requests. */
	readonly requests: Array<Record<string, number | string>> = [];

	readonly records: IDataObject[] = [];

	private added = 0;

	constructor(private readonly settings: Settings = {}) {}

	/** Adds records. @param timeOf milliseconds; one later than the last each by default */
	add(count: number, timeOf: (id: number) => number = (id) => id): void {
		for (let index = 0; index < count; index++) {
			const id = ++this.added;
			const time = new Date(1_700_000_000_000 + timeOf(id)).toISOString();
			this.records.push({ id, sentAt: time, createdAt: time });
		}
	}

	readonly call = async ({ query = {} }: ApiRequest): Promise<IDataObject> => {
		this.requests.push(query);
		const delay = this.settings.onRequest?.(query as Record<string, number>);
		// What happens at once, happens to no other request that is under way.
		if (delay instanceof Promise) await delay;
		const { largest = Infinity } = this.settings;
		const size = Math.min(largest, Number(query.limit ?? query.pageSize));
		const start = Number(query.offset ?? (Number(query.page) - 1) * size);
		const { totals = (total) => ({ total }) } = this.settings;
		const data = this.inOrder().slice(start, start + size);
		const paging = query.limit === undefined ? { pagination: { pageSize: size } } : { limit: size };
		return { data: structuredClone(data), ...paging, ...totals(this.records.length) };
	};

	private inOrder(): IDataObject[] {
		const { order = 'newestFirst' } = this.settings;
		if (order === 'newestFirst') return [...this.records].reverse();
		if (order === 'oldestFirst') return this.records;
		if (order === 'lastChange')
			return orderBy(this.records, ({ updatedAt, sentAt }) => updatedAt ?? sentAt, 'desc');
		const place = ({ id }: IDataObject) => Math.sin(Number(id) * 1_000);
		return [...this.records].sort((a, b) => place(a) - place(b));
	}
}
