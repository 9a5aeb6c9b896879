import { createHash } from 'node:crypto';
import { difference, groupBy, keyBy, map, mapValues, max, min, orderBy, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { telling, type ApiRequest } from '../api/client';
import { readPage, timeIn, type TimedList } from '../api/lists';
import { readNewest } from '../api/newest';
import type { Watch } from './watch';

/** What is remembered of one record of a list. */
interface Entry {
	/** Short hash of the record's id. */
	key: string;
	/** When the record came into being, in milliseconds of the service's clock. */
	time: number;
	status: string;
	/** What it has reached. */
	marks: string[];
}

/** A record that is new, has another status than before, or has reached something. */
export interface Change {
	record: IDataObject;
	status: string;
	/** What it had not reached before. */
	reached: string[];
	/** What was known of it; undefined for a new record. */
	previous?: Entry;
}

/** A list whose records are watched for changes. */
interface WatchedList {
	identity: IDataObject;
	list: TimedList;
	query?: ApiRequest['query'];
	/** What every page counts; where it is missing, the first page tells nothing of the others. */
	counted: 'total' | 'stats';
	/** How many of the newest records are remembered and looked at. */
	window: number;
	statusOf(record: IDataObject): string;
	/** What a record has reached at a time of the service's clock. */
	marksOf(record: IDataObject, now: number): string[];
	/** When a record has to be looked at although nothing else tells of it; undefined for never. */
	nextLook(entry: Entry, now: number): number | undefined;
	/** The items that a change of a record makes. */
	itemsOf(change: Change): IDataObject[];
	sample: Watch['sample'];
}

/** What lies in the workflow's static data of a list: about 20 bytes per record of its window. */
interface History extends IDataObject {
	/** Key and time of the newest records, by their status and marks. */
	entries: Record<string, string[]>;
	/** Records up to this time are old even if no entry is left of them. */
	since: number;
	/** What the first page showed before these were read. */
	shown: string;
	/** When the list has to be read although its first page stays the same. */
	nextLook: number | null;
}

/**
 * Watches a list. Where its first page shows the same records with the same statuses and counts as
 * before, and nothing is open, nothing has happened. Else the newest records are read, as many as the
 * window holds, and compared with those of before.
 */
export const listWatch = (watched: WatchedList): Watch => ({
	identity: watched.identity,
	poll: async (call, stored) => {
		const { list, query, counted, statusOf, window, itemsOf } = watched;
		let now = Date.now();
		const before = stored as History | undefined;
		const heard = telling(call, (told) => (now = told));
		const page = await readPage(heard, list, query);
		const statuses = page.records.map((record) => [record.id, statusOf(record)]);
		const shown = keyOf([page.counts, ...statuses.map(String).sort()]);
		const isQuiet = page[counted] !== undefined && before?.shown === shown;
		if (isQuiet && (before.nextLook ?? Infinity) > now) return { items: [], state: before };

		const newest = await readNewest(call, list, { query, limit: window });
		const { changes, ...history } = compare(before, newest, watched, now);
		return { items: changes.flatMap(itemsOf), state: { ...history, shown } };
	},
	sample: watched.sample,
});

/** A time before that of every record. */
const ever = -1;

/**
 * Compares the newest records of a list, as many as there are or as the window holds, with what is
 * remembered of it; at the starting point everything is old. A record is new if it is not remembered
 * and younger than all that were forgotten. Where all are there, none is known and one is older than
 * the youngest known, this is another account's list. Gives the changes of the oldest record first.
 */
function compare(
	before: History | undefined,
	records: IDataObject[],
	{ list, window, statusOf, marksOf, nextLook }: WatchedList,
	now: number,
) {
	const known = keyBy(before ? unpacked(before.entries) : [], 'key');
	const read = records.map((record) => {
		const key = keyOf(record.id);
		const previous = known[key];
		const status = statusOf(record);
		const marks = union(previous?.marks, marksOf(record, now));
		const reached = difference(marks, previous?.marks ?? []);
		const entry: Entry = { key, time: timeIn(record, list.time), status, marks };
		return { record, status, reached, previous, entry };
	});
	const isAll = read.length < window;
	const youngest = max(map(known, 'time')) ?? ever;
	const isAnother =
		isAll &&
		!read.some(({ previous }) => previous) &&
		read.some(({ entry: { time } }) => time > 0 && time < youngest);
	const start = isAnother ? undefined : before;

	const since = start?.since ?? (isAll ? ever : (read.at(-1)?.entry.time ?? ever));
	const changes = read.filter(({ previous, status, reached, entry }) =>
		previous ? reached.length > 0 || status !== previous.status : entry.time > since,
	);
	const present = keyBy(map(read, 'entry'), 'key');
	const all = start ? { ...known, ...present } : present;
	const entries = orderBy(Object.values(all), 'time', 'desc');
	return {
		changes: start ? changes.reverse() : [],
		entries: packed(entries.slice(0, window)),
		since: Math.max(since, entries[window]?.time ?? ever),
		nextLook: min(read.map(({ entry }) => nextLook(entry, now))) ?? null,
	};
}

/** Characters of a hash: two ids of a window share one with a chance of about 1 in 10^7. */
const keyLength = 8;

/** A short key for an id of any length. */
const keyOf = (id: unknown): string =>
	createHash('sha256').update(String(id)).digest('base64url').slice(0, keyLength);

const packed = (entries: Entry[]): History['entries'] =>
	mapValues(
		groupBy(entries, ({ status, marks }) => JSON.stringify([status, ...marks])),
		(alike) => alike.map(({ key, time }) => key + time.toString(36)),
	);

const unpacked = (entries: History['entries']): Entry[] =>
	Object.entries(entries).flatMap(([alike, texts]) => {
		const [status, ...marks] = JSON.parse(alike) as [string, ...string[]];
		return texts.map((text) => {
			const time = parseInt(text.slice(keyLength), 36);
			return { key: text.slice(0, keyLength), time, status, marks };
		});
	});
