import { createHash } from 'node:crypto';
import { difference, groupBy, keyBy, map, mapValues, max, min, orderBy, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import { ServiceClock } from '../api/clock';
import { readPage, timeIn, type TimedList } from '../api/lists';
import { readNewest } from '../api/newest';
import type { Watch } from './watch';

interface Entry {
	/** Short hash of the record's id. */
	key: string;
	/** When the record was created, in milliseconds of the service's clock; Infinity if that cannot be read. */
	time: number;
	status: string;
	/** What the record has reached so far: statuses, `ended`, `stuck`. */
	milestones: string[];
}

/** A new record, or one with another status or a new milestone. */
export interface Change {
	record: IDataObject;
	status: string;
	reached: string[];
	/** Its stored state; undefined for a new record. */
	previous?: Entry;
}

/** A list whose records are watched for changes. */
interface WatchedList {
	identity: IDataObject;
	list: TimedList;
	query?: ApiRequest['query'];
	/**
	 * The field in which a page shows the counts of the whole list. If a page lacks it, the first page cannot
	 * show that the other pages are unchanged.
	 */
	countKey: 'total' | 'stats';
	/** How many of the newest records are stored and compared. */
	window: number;
	statusOf(record: IDataObject): string;
	/** The milestones of a record at a time of the service's clock. */
	milestonesOf(record: IDataObject, now: number): string[];
	/** When to read the list for this record even if the first page is unchanged; undefined for never. */
	nextLook(entry: Entry, now: number, record: IDataObject): number | undefined;
	itemsOf(change: Change): IDataObject[];
	sample: Watch['sample'];
}

/** The state of a list in the workflow's static data: about 20 bytes per record of its window. */
interface History extends IDataObject {
	/** Key and time of the newest records, by their status and milestones. */
	entries: Record<string, string[]>;
	/** Records up to this time are old even without an entry. */
	since: number;
	/** Hash of the first page, taken before the entries were read. */
	firstPage: string;
	/** When to read the list even if its first page is unchanged. */
	nextLook: number | null;
}

/**
 * Watches a list. If its first page is as before and no record is due, nothing has happened. Otherwise the newest
 * records are read, up to the size of the window, and compared with the stored ones.
 */
export const listWatch = (watched: WatchedList): Watch => ({
	identity: watched.identity,
	poll: async (call, stored) => {
		const { list, query, countKey, statusOf, window, itemsOf } = watched;
		const before = stored as History | undefined;
		const clock = new ServiceClock();
		const page = await readPage(clock.timed(call), list, query);
		const now = clock.earliest(Date.now());
		const statuses = page.records.map((record) => [record.id, statusOf(record)]);
		const firstPage = shortHash([page.counts, ...statuses.map(String).sort()]);
		const isQuiet = page[countKey] !== undefined && before?.firstPage === firstPage;
		if (isQuiet && (before.nextLook ?? Infinity) > now) return { items: [], state: before };

		const newest = await readNewest(call, list, { query, limit: window });
		const { changes, ...history } = compare(before, newest, watched, now);
		return { items: changes.flatMap(itemsOf), state: { ...history, firstPage } };
	},
	sample: watched.sample,
});

/** A time before every record. */
const beforeAll = -1;

const timeOrBeforeAll = ({ time }: Partial<Entry> = {}): number =>
	time === undefined || time === Infinity ? beforeAll : time;

/**
 * Compares the newest records of a list with the stored state; returns the changes, oldest first. A record is new if
 * it has no entry and its time is after `since`. If a whole list has no entry, but older records, it belongs to
 * another account: the poll counts as the first, for which every record is old.
 */
function compare(
	before: History | undefined,
	records: IDataObject[],
	{ list, window, statusOf, milestonesOf, nextLook }: WatchedList,
	now: number,
) {
	const stored = keyBy(before ? unpacked(before.entries) : [], 'key');
	const read = records.map((record) => {
		const key = shortHash(record.id);
		const previous = stored[key];
		const status = statusOf(record);
		const milestones = union(previous?.milestones, milestonesOf(record, now));
		const reached = difference(milestones, previous?.milestones ?? []);
		const entry: Entry = { key, time: timeIn(record, list.time), status, milestones };
		return { record, status, reached, previous, entry };
	});
	const isAll = read.length < window;
	const youngest = max(map(stored, 'time').filter(Number.isFinite)) ?? beforeAll;
	const isOtherAccount =
		isAll &&
		!read.some(({ previous }) => previous) &&
		read.some(({ entry: { time } }) => time > 0 && time < youngest);
	const baseline = isOtherAccount ? undefined : before;

	const since = baseline?.since ?? (isAll ? beforeAll : timeOrBeforeAll(read.at(-1)?.entry));
	const changes = read.filter(({ previous, status, reached, entry }) =>
		previous ? reached.length > 0 || status !== previous.status : entry.time > since,
	);
	const present = keyBy(map(read, 'entry'), 'key');
	const all = baseline ? { ...stored, ...present } : present;
	const entries = orderBy(Object.values(all), 'time', 'desc');
	return {
		changes: baseline ? changes.reverse() : [],
		entries: packed(entries.slice(0, window)),
		since: Math.max(since, timeOrBeforeAll(entries[window])),
		nextLook: min(read.map(({ entry, record }) => nextLook(entry, now, record))) ?? null,
	};
}

/** Characters of a hash. The probability that a window of 10,000 IDs has any collision is about 1 in 10^7. */
const keyLength = 8;

const shortHash = (value: unknown): string =>
	createHash('sha256').update(String(value)).digest('base64url').slice(0, keyLength);

const packed = (entries: Entry[]): History['entries'] =>
	mapValues(
		groupBy(entries, ({ status, milestones }) => JSON.stringify([status, ...milestones])),
		(group) => group.map(({ key, time }) => key + (time === Infinity ? '' : time.toString(36))),
	);

const unpacked = (entries: History['entries']): Entry[] =>
	Object.entries(entries).flatMap(([statusAndMilestones, texts]) => {
		const [status, ...milestones] = JSON.parse(statusAndMilestones) as [string, ...string[]];
		return texts.map((text) => {
			const time = parseInt(text.slice(keyLength), 36) || Infinity;
			return { key: text.slice(0, keyLength), time, status, milestones };
		});
	});
