import type { IDataObject } from 'n8n-workflow';
import type { ListPage } from '../api/lists';
import { entriesByKey, keyOf, nothingKnown, type Entry, type History } from './history';

/** What is particular about a list. */
export interface ListRules {
	/** When a record came into being, in milliseconds of the service's clock. */
	timeOf(record: IDataObject): number;
	statusOf(record: IDataObject): string;
	/** How many of the newest records are remembered and looked at. */
	window: number;
	/** Records on a page that is not the last. */
	pageSize: number;
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
export class ChangeDetector {
	private readonly known: ReadonlyMap<string, Entry>;

	/** Records by key; a later reading of the same record replaces the earlier. */
	private readonly read = new Map<string, IDataObject>();

	/** What the records read so far have changed, by key. */
	private readonly changes = new Map<string, Change>();

	/** The last counts and the changes found since. */
	private readonly expected: Counts;

	/** The counts that came with each page: any of them may be the one that is explained. */
	private readonly counts: Counts[] = [];

	/** Records of the last page that had some. */
	private lastPage: IDataObject[] = [];

	/** Whether the last page reached records that were there before. */
	private touchesKnown = false;

	/** Time of the newest record read. */
	private newest = -Infinity;

	/**
	 * @param before undefined at the starting point
	 */
	constructor(
		private readonly rules: ListRules,
		private readonly before: History | undefined,
	) {
		const { total, stats } = before ?? nothingKnown;
		this.known = entriesByKey(before ?? nothingKnown);
		this.expected = { total, stats: rules.hasStats ? { ...stats } : null };
	}

	add({ records, total, stats }: ListPage): void {
		this.counts.push({ total: total ?? null, stats: (this.rules.hasStats && stats) || null });
		if (records.length > 0) this.lastPage = records;
		this.touchesKnown = false;
		for (const record of records) {
			const key = keyOf(record.id);
			this.touchesKnown ||= !this.isNew(key, record);
			this.newest = Math.max(this.newest, this.rules.timeOf(record));
			this.read.set(key, record);
			this.compare(key, record);
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
		if (!this.touchesKnown && this.known.size > 0) return false;
		if (this.before.settled && this.isAllRead() && this.explained()) return true;
		return isPastWindow && this.touchesKnown;
	}

	/** The changes, oldest record first, and what to remember. */
	finish(): { changes: Change[]; history: History } {
		if (!this.before || this.isAnotherList()) return { changes: [], history: this.start() };
		if (this.isUnchanged()) return { changes: [], history: this.before };
		const { timeOf } = this.rules;
		const { entries, since } = this.before;
		const explained = this.explained();
		const unread = entries.filter(({ key }) => !this.read.has(key));
		return {
			changes: [...this.changes.values()]
				.reverse()
				.sort((a, b) => timeOf(a.record) - timeOf(b.record)),
			history: {
				...this.remember([...this.entries(), ...unread], since),
				...(explained ?? this.firstCounts()),
				// Looking at everything again finds what moved to a page already read.
				settled: explained !== undefined,
			},
		};
	}

	/** Whether what is remembered already says all that was read. */
	private isUnchanged(): boolean {
		return (
			this.before?.settled === true &&
			this.changes.size === 0 &&
			this.explained() !== undefined &&
			[...this.read].every(
				([key, record]) => this.known.get(key)?.time === this.rules.timeOf(record),
			)
		);
	}

	/** Records do not vanish: if none of them is left, this is another account's list. */
	private isAnotherList(): boolean {
		return (
			this.known.size > 0 &&
			this.hasAll() &&
			![...this.known.keys()].some((key) => this.read.has(key))
		);
	}

	/** Whether every record was read, those that came into being meanwhile too. */
	private hasAll(): boolean {
		return this.counts.every(({ total }) => total !== null && total <= this.read.size);
	}

	/** What to remember at the starting point: everything that is there is old. */
	private start(): History {
		// The last page is where reading from the newest down has stopped.
		const oldest = Math.min(...this.lastPage.map((record) => this.rules.timeOf(record)));
		const since = this.read.size === 0 || this.hasAll() ? null : oldest;
		return { ...this.remember(this.entries(), since), ...this.firstCounts(), settled: true };
	}

	/** The newest entries, and how old the forgotten ones are. */
	private remember(entries: Entry[], since: number | null): Pick<History, 'entries' | 'since'> {
		const { window } = this.rules;
		const sorted = entries.sort((a, b) => b.time - a.time);
		const forgotten = sorted[window]?.time;
		return {
			entries: sorted.slice(0, window),
			since: forgotten === undefined ? since : Math.max(since ?? forgotten, forgotten),
		};
	}

	private entries(): Entry[] {
		const { timeOf, statusOf } = this.rules;
		return [...this.read].map(([key, record]) => {
			const status = statusOf(record);
			const seen = [...new Set([...(this.known.get(key)?.seen ?? []), status])];
			return { key, time: timeOf(record), status, seen };
		});
	}

	/** Notes whether a record has changed; a record that is read again takes the place of the first. */
	private compare(key: string, record: IDataObject): void {
		const revoked = this.changes.get(key);
		if (revoked) this.count(revoked, -1);
		this.changes.delete(key);

		const previous = this.known.get(key);
		const status = this.rules.statusOf(record);
		if (previous ? previous.status === status : !this.isNew(key, record)) return;
		const change = { record, status, previous };
		this.count(change, 1);
		this.changes.set(key, change);
	}

	private count({ status, previous }: Change, by: 1 | -1): void {
		add(this.expected, status, by);
		if (previous) add(this.expected, previous.status, -by);
	}

	private isNew(key: string, record: IDataObject): boolean {
		const since = this.before?.since ?? null;
		return !this.known.has(key) && (since === null || this.rules.timeOf(record) > since);
	}

	private isAllRead(): boolean {
		return [...this.known.values()].every(
			(entry) => !this.rules.mustBeRead(entry, this.newest) || this.read.has(entry.key),
		);
	}

	/** The counts of this poll that the last ones and the changes found add up to. */
	private explained(): Counts | undefined {
		return this.counts.find((counts) => counts.total !== null && isSame(counts, this.expected));
	}

	/** Later counts hold records that came into being behind the reader's back. */
	private firstCounts(): Counts {
		return this.counts[0] ?? { total: null, stats: null };
	}
}

/** How many records a list has. */
interface Counts {
	total: number | null;
	/** By status, if the list counts them. */
	stats: Record<string, number> | null;
}

/** Adds records with the status, or takes some away. */
function add(counts: Counts, status: string, by: number): void {
	if (counts.total !== null) counts.total += by;
	if (counts.stats) counts.stats[status] = (counts.stats[status] ?? 0) + by;
}

/** Whether two counts say the same; a status that is not named counts 0. */
function isSame(a: Counts, b: Counts): boolean {
	if (a.total !== b.total || (a.stats === null) !== (b.stats === null)) return false;
	const names = Object.keys({ ...a.stats, ...b.stats });
	return names.every((name) => (a.stats?.[name] ?? 0) === (b.stats?.[name] ?? 0));
}
