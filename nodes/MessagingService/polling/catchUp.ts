import type { IDataObject } from 'n8n-workflow';
import { keyOf, nothingKnown, type Entry, type History } from './history';
import type { ListPage } from './pages';

/** What is particular about a list. */
export interface ListRules {
	/** When a record came into being, in milliseconds of the service's clock. */
	timeOf(record: IDataObject): number;
	statusOf(record: IDataObject): string;
	/** How many of the newest records are remembered and looked at. */
	window: number;
	/** Whether the list counts its records by status, so that counts tell of changes. */
	hasStats: boolean;
	/**
	 * Whether a record must be looked at in every poll because nothing else tells of its changes.
	 *
	 * @param newest time of the newest record
	 */
	mustBeRead(entry: Entry, newest: number): boolean;
}

/** A record that is new or has another status than before. */
export interface Change {
	record: IDataObject;
	status: string;
	/** What was known of it; undefined for a new record. */
	previous?: Entry;
}

/**
 * Compares the pages of a list, as they are read, with what is known of it. Pure: no clock, no
 * requests.
 *
 * A record is new if it is not remembered and younger than all that were forgotten, wherever it
 * stands: records may move between pages, share a time or be inserted late. How far to read is
 * decided by the counts (see `isEnough`).
 */
export class CatchUp {
	private readonly known: Map<string, Entry>;

	/** Records by key; a later reading of the same record replaces the earlier. */
	private readonly read = new Map<string, IDataObject>();

	private counts: Pick<History, 'total' | 'stats'> = { total: null, stats: null };

	/** Whether the last page reached records that were there before. */
	private touchesKnown = false;

	/**
	 * @param before undefined at the starting point
	 */
	constructor(
		private readonly rules: ListRules,
		private readonly before: History | undefined,
	) {
		this.known = new Map((before ?? nothingKnown).entries.map((entry) => [entry.key, entry]));
	}

	add({ records, total, stats }: ListPage): void {
		// Counts of the first page: later ones include records that came into being meanwhile.
		if (this.read.size === 0) this.counts = { total: total ?? null, stats: stats ?? null };
		this.touchesKnown = this.known.size === 0;
		for (const record of records) {
			const key = keyOf(record.id);
			this.touchesKnown ||= this.known.has(key) || !this.isNew(key, record);
			this.read.set(key, record);
		}
	}

	/**
	 * Whether further pages need not be read: the known part is reached, every record that must be
	 * read was, and what was found explains how the counts differ from the last ones. Past the
	 * window only the known part is looked for.
	 *
	 * Opposite changes on pages that were not read can cancel each other out in the counts. They
	 * are not lost: each is found as soon as its page is read again.
	 */
	isEnough(): boolean {
		const isPastWindow = this.read.size >= this.rules.window;
		if (!this.before) return isPastWindow;
		if (!this.touchesKnown) return false;
		return isPastWindow || (this.isAllRead() && this.isExplained());
	}

	/**
	 * @param isComplete whether every page of the list was read
	 * @returns the changes, oldest record first, and what to remember
	 */
	finish(isComplete: boolean): { changes: Change[]; history: History } {
		const isAnotherList =
			isComplete && this.known.size > 0 && ![...this.read.keys()].some((key) => this.known.has(key));
		// Records do not vanish: with none of them left, this is another account's list.
		if (isAnotherList) return new CatchUp(this.rules, undefined).restart(this, isComplete);

		const changes = this.before ? this.changes() : [];
		return { changes, history: this.history(isComplete) };
	}

	private restart(other: CatchUp, isComplete: boolean): { changes: Change[]; history: History } {
		this.counts = other.counts;
		for (const [key, record] of other.read) this.read.set(key, record);
		return this.finish(isComplete);
	}

	private isNew(key: string, record: IDataObject): boolean {
		const since = this.before?.since ?? null;
		return !this.known.has(key) && (since === null || this.rules.timeOf(record) > since);
	}

	private changes(): Change[] {
		const { timeOf, statusOf } = this.rules;
		const changes: Change[] = [];
		for (const [key, record] of this.read) {
			const previous = this.known.get(key);
			const status = statusOf(record);
			if (previous ? previous.status !== status : this.isNew(key, record)) {
				changes.push({ record, status, previous });
			}
		}
		return changes.reverse().sort((a, b) => timeOf(a.record) - timeOf(b.record));
	}

	private isAllRead(): boolean {
		const newest = this.newest();
		return [...this.known.values()].every(
			(entry) => this.read.has(entry.key) || !this.rules.mustBeRead(entry, newest),
		);
	}

	private isExplained(): boolean {
		const { total, stats } = this.counts;
		const before = this.before ?? nothingKnown;
		const changes = this.changes();
		const added = changes.filter(({ previous }) => !previous).length;
		if (total === null || before.total === null || total !== before.total + added) return false;
		if (!this.rules.hasStats) return true;
		if (!stats || !before.stats) return false;

		const expected: Record<string, number> = { ...before.stats };
		const count = (status: string, by: number) => {
			expected[status] = (expected[status] ?? 0) + by;
		};
		for (const { status, previous } of changes) {
			count(status, 1);
			if (previous) count(previous.status, -1);
		}
		return [...new Set([...Object.keys(expected), ...Object.keys(stats)])].every(
			(status) => (expected[status] ?? 0) === (stats[status] ?? 0),
		);
	}

	private history(isComplete: boolean): History {
		const { timeOf, statusOf, window } = this.rules;
		const read = [...this.read].map(([key, record]): Entry => {
			const status = statusOf(record);
			const seen = [...new Set([...(this.known.get(key)?.seen ?? []), status])];
			return { key, time: timeOf(record), status, seen };
		});
		const unread = [...this.known.values()].filter(({ key }) => !this.read.has(key));
		// What is not in a list that was read to its end is gone.
		const all = (isComplete ? read : [...read, ...unread]).sort((a, b) => b.time - a.time);

		const since = this.before ? this.before.since : isComplete ? null : oldest(read);
		const forgotten = all[window]?.time ?? null;
		return {
			entries: all.slice(0, window),
			since: since === null || forgotten === null ? (since ?? forgotten) : Math.max(since, forgotten),
			...this.counts,
		};
	}

	private newest(): number {
		const times = [...this.read.values()].map((record) => this.rules.timeOf(record));
		return times.reduce((a, b) => Math.max(a, b), -Infinity);
	}
}

const oldest = (entries: Entry[]): number | null =>
	entries.length === 0 ? null : entries.reduce((time, entry) => Math.min(time, entry.time), Infinity);
