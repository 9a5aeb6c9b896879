import { createHash } from 'node:crypto';
import { max, min } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

/** What is remembered of one record of a list. */
export interface Entry {
	/** Short hash of the record's id. */
	key: string;
	/** When the record came into being, in milliseconds of the service's clock. */
	time: number;
	status: string;
	/** Every status that it was seen with, and what else it has reached. */
	seen: string[];
}

/** A record that is new, has another status than before, or has reached something. */
export interface Change {
	record: IDataObject;
	status: string;
	/** What it was not seen with before. */
	reached: string[];
	/** What was known of it; undefined for a new record. */
	previous: Entry | undefined;
}

/** What is particular about a list whose records are watched. */
export interface ListRules {
	/** When a record came into being, in milliseconds of the service's clock. */
	timeOf(record: IDataObject): number;
	statusOf(record: IDataObject): string;
	/** What a record has reached besides its status, at a time of the service's clock. */
	marksOf(record: IDataObject, now: number): string[];
	/** How many of the newest records are remembered and looked at. */
	window: number;
	/**
	 * When a record has to be looked at although nothing else tells of it; null for never.
	 *
	 * @param newest time of the newest record
	 */
	nextLook(entry: Entry, newest: number): number | null;
}

/** What lies in the workflow's static data of a list: about 27 bytes per record of its window. */
export interface History extends IDataObject {
	/** The statuses that the entries name by number. */
	names: string[];
	/** The newest records, newest first, each as key, status, what it was seen with (a bit each) and time. */
	entries: string[];
	/** Records up to this time are old even if no entry is left of them. */
	since: number;
	/** What the first page showed before these were read. */
	shown: string;
	/** When the list has to be read although its first page stays the same. */
	nextLook: number | null;
}

/** A time before that of every record. */
const ever = -1;

/**
 * Compares the newest records of a list with what is remembered of it. Pure.
 *
 * A record is new if it is not remembered and younger than all that were forgotten. Where all are
 * there, none is known and one is older than the youngest known, this is another account's list.
 *
 * @param before undefined at the starting point, where everything is old
 * @param records as many as there are, or as the window holds; the newest first
 * @param shown what came before the records: what happens after it is found by the next poll
 * @returns the changes, oldest record first, and what to remember
 */
export function compare(
	before: History | undefined,
	records: IDataObject[],
	shown: string,
	{ timeOf, statusOf, marksOf, window, nextLook }: ListRules,
	now: number,
): { changes: Change[]; history: History } {
	const known = before ? entriesOf(before) : new Map<string, Entry>();
	const read = records.map((record) => {
		const key = keyOf(record.id);
		const previous = known.get(key);
		const status = statusOf(record);
		const seen = [...new Set([...(previous?.seen ?? []), status, ...marksOf(record, now)])];
		return { record, previous, entry: { key, time: timeOf(record), status, seen } };
	});
	const isAll = read.length < window;
	const youngest = max([...known.values()].map(({ time }) => time)) ?? ever;
	const isAnother =
		isAll &&
		!read.some(({ previous }) => previous) &&
		read.some(({ entry: { time } }) => time > 0 && time < youngest);
	const start = isAnother ? undefined : before;

	const since = start?.since ?? (isAll ? ever : (read.at(-1)?.entry.time ?? ever));
	const changes = read.flatMap(({ record, previous, entry: { time, status, seen } }) => {
		const reached = seen.filter((name) => !previous?.seen.includes(name));
		const isChanged = previous
			? reached.length > 0 || status !== previous.status
			: start !== undefined && time > since;
		return isChanged ? [{ record, status, reached, previous }] : [];
	});

	if (start) for (const { entry } of read) known.set(entry.key, entry);
	const entries = (start ? [...known.values()] : read.map(({ entry }) => entry)).sort(
		(a, b) => b.time - a.time,
	);
	const newest = entries[0]?.time ?? 0;
	const history = {
		...packed(entries.slice(0, window)),
		since: Math.max(since, entries[window]?.time ?? ever),
		shown,
		nextLook: min(read.flatMap(({ entry }) => nextLook(entry, newest) ?? [])) ?? null,
	};
	return { changes: start ? changes.reverse() : [], history };
}

/** Characters of a hash: two ids of a window share one with a chance of about 1 in 10^7. */
const keyLength = 8;

/** A short key for an id of any length. */
export const keyOf = (id: unknown): string =>
	createHash('sha256').update(String(id)).digest('base64url').slice(0, keyLength);

function packed(entries: Entry[]): Pick<History, 'names' | 'entries'> {
	const names = [...new Set(entries.flatMap(({ seen }) => seen))];
	const bits = (seen: string[]) => seen.reduce((sum, name) => sum + 2 ** names.indexOf(name), 0);
	return {
		names,
		entries: entries.map(({ key, time, status, seen }) =>
			[key, ...[names.indexOf(status), bits(seen), time].map((part) => part.toString(36))].join(
				'.',
			),
		),
	};
}

function entriesOf({ names, entries }: History): Map<string, Entry> {
	const read = entries.map((text): [string, Entry] => {
		const [key = '', ...rest] = String(text).split('.');
		const [status = 0, bits = 0, time = 0] = rest.map((part) => parseInt(part, 36));
		const seen = names.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1);
		return [key, { key, time, status: names[status] ?? '', seen }];
	});
	return new Map(read);
}
