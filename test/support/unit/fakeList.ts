import type { IDataObject } from 'n8n-workflow';
import type { Change, ListRules } from '../../../nodes/MessagingService/polling/changeDetector';
import { pack, unpack } from '../../../nodes/MessagingService/polling/history';
import type { ListPage } from '../../../nodes/MessagingService/api/lists';
import { readChanges } from '../../../nodes/MessagingService/polling/watch';

/** How a list shows its records; `mixed` puts every record into a place of its own. */
export type Order = 'newestFirst' | 'oldestFirst' | 'mixed';

export interface FakeRecord extends IDataObject {
	id: string;
	time: number;
	place: number;
	status: string;
}

/** A list of the service, held in memory. */
export class FakeList {
	readonly records: FakeRecord[] = [];

	reads = 0;

	private time = 1_000_000;

	constructor(
		private readonly order: Order,
		private readonly pageSize: number,
	) {}

	/** @param later milliseconds after the last one; below 0 for a record that appears late */
	add(status: string, { later = 1, place = 0 } = {}): FakeRecord {
		this.time += Math.max(0, later);
		const time = this.time + Math.min(0, later);
		const record = { id: `r${this.records.length}`, time, place, status };
		this.records.push(record);
		return record;
	}

	page(number: number): ListPage {
		this.reads++;
		const sorted = this.records
			.map((record, index) => ({ record, index }))
			.sort((a, b) =>
				this.order === 'mixed'
					? a.record.place - b.record.place || a.index - b.index
					: (a.record.time - b.record.time || a.index - b.index) *
						(this.order === 'newestFirst' ? -1 : 1),
			)
			.map(({ record }) => ({ ...record }));
		const stats: Record<string, number> = {};
		for (const { status } of this.records) stats[status] = (stats[status] ?? 0) + 1;
		const start = number * this.pageSize;
		return {
			records: sorted.slice(start, start + this.pageSize),
			total: sorted.length,
			stats,
		};
	}
}

/** Rules for a fake list with small pages. */
export const fakeRules = (changes: Partial<ListRules>): ListRules => ({
	timeOf: (record) => Number(record.time),
	statusOf: (record) => String(record.status),
	window: 60,
	pageSize: 3,
	hasStats: true,
	mustBeRead: () => false,
	...changes,
});

/** Polls a fake list as the trigger does, with n8n's way of saving what is stored. */
export class FakePoller {
	private memory: unknown;

	private saved: unknown;

	constructor(
		private readonly list: FakeList,
		private readonly rules: ListRules,
		private readonly itemsOf: (change: Change) => IDataObject[],
	) {}

	/**
	 * @param beforePage called before each page is read; what it throws fails the poll
	 */
	async poll(beforePage: (page: number) => void = () => {}): Promise<IDataObject[]> {
		let pagesRead = 0;
		const read = async (page: number) => {
			beforePage(pagesRead++);
			return await Promise.resolve(this.list.page(page));
		};
		const { changes, history } = await readChanges(read, this.rules, unpack(this.memory));
		const isStart = this.memory === undefined;
		this.memory = JSON.parse(JSON.stringify(pack(history)));
		const items = changes.flatMap((change) => this.itemsOf(change));
		if (items.length > 0 || isStart) this.saved = this.memory;
		return items;
	}

	/** What was not saved is lost. */
	restart(): void {
		this.memory = this.saved;
	}
}
