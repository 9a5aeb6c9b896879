import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

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
	/** What a record has reached besides its status, at a time of n8n's clock. */
	marksOf(record: IDataObject, now: number): string[];
	/** Whether the list counts its records by status, so that equal counts mean that nothing happened. */
	isCounted: boolean;
	/** How many of the newest records are remembered and looked at. */
	window: number;
	/**
	 * When a record has to be looked at although the counts stay the same; null for never.
	 *
	 * @param newest time of the newest record
	 */
	nextLook(entry: Entry, newest: number): number | null;
}

const historySchema = z.object({
	/** The statuses that the entries name by number. */
	names: z.array(z.string()),
	/** The newest records, newest first, each as key, status, what it was seen with (a bit each) and time. */
	entries: z.custom<string[]>(Array.isArray),
	/** Records this old are old even if no entry is left of them; null while all have entries. */
	since: z.number().nullable(),
	/** How many records there were before these were read. */
	counts: z.string(),
	/** When the list has to be read although its counts stay the same. */
	nextLook: z.number().nullable(),
});

/** What lies in the workflow's static data of a list: about 27 bytes per record of its window. */
export type History = z.infer<typeof historySchema>;

/** The history that is stored; undefined if there is none or it cannot be read. */
export const historyIn = (stored: unknown): History | undefined =>
	historySchema.safeParse(stored).data;

/**
 * Compares the newest records of a list with what is remembered of it. Pure.
 *
 * A record is new if it is not remembered and younger than all that were forgotten.
 *
 * @param before undefined at the starting point, where everything is old
 * @param records as many as there are, or as the window holds; the newest first
 * @param counts those that came before the records: what happens after them is found by the next poll
 * @returns the changes, oldest record first, and what to remember
 */
export function compare(
	before: History | undefined,
	records: IDataObject[],
	counts: string,
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
	// If all are there, none is known and some are no younger than what is, this is another account's list.
	const youngest = Math.max(...[...known.values()].map(({ time }) => time));
	const isAnother =
		isAll &&
		!read.some(({ previous }) => previous) &&
		read.some(({ entry }) => entry.time <= youngest);
	const start = before && !isAnother ? before : undefined;

	const since = start ? start.since : isAll ? null : (read.at(-1)?.entry.time ?? null);
	const changes = read.flatMap(({ record, previous, entry: { time, status, seen } }) => {
		const reached = seen.filter((name) => !previous?.seen.includes(name));
		const isChanged = previous
			? reached.length > 0 || status !== previous.status
			: start !== undefined && (since === null || time > since);
		return isChanged ? [{ record, status, reached, previous }] : [];
	});

	if (start) for (const { entry } of read) known.set(entry.key, entry);
	const entries = (start ? [...known.values()] : read.map(({ entry }) => entry)).sort(
		(a, b) => b.time - a.time,
	);
	const limits = [since, entries[window]?.time].filter(
		(time) => time !== null && time !== undefined,
	);
	const newest = entries[0]?.time ?? 0;
	const looks = read.flatMap(({ entry }) => nextLook(entry, newest) ?? []);
	const history = {
		...packed(entries.slice(0, window)),
		since: limits.length === 0 ? null : Math.max(...limits),
		counts,
		nextLook: looks.length === 0 ? null : looks.reduce((a, b) => Math.min(a, b)),
	};
	return { changes: start ? changes.reverse() : [], history };
}

/** Characters of a hash: two ids of a window share one with a chance of about 1 in 10^7. */
const keyLength = 8;

/** A short key for an id of any length. */
const keyOf = (id: unknown): string =>
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
