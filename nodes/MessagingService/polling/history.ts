import { createHash } from 'node:crypto';
import { z } from 'zod';

/** What is remembered of one record of a list. */
export interface Entry {
	/** Short hash of the record's id. */
	key: string;
	/** When the record came into being, in milliseconds of the service's clock. */
	time: number;
	status: string;
	/** Every status that it was seen with. */
	seen: string[];
}

/**
 * What is remembered of a list of records between two polls.
 *
 * Its size is bounded by the window of the list (see `ListRules`): about 27 bytes per entry.
 */
export interface History {
	/** The newest records, newest first. */
	entries: Entry[];
	/** Records this old are old even if no entry is left of them; null while all have entries. */
	since: number | null;
	/** Records that existed. */
	total: number | null;
	/** Records by status, if the list counts them. */
	stats: Record<string, number> | null;
	/** False if the last reading did not explain the counts: the next one looks at everything. */
	settled: boolean;
}

/** A list that nothing is known of. */
export const nothingKnown: History = {
	entries: [],
	since: null,
	total: null,
	stats: null,
	settled: true,
};

const packedSchema = z.object({
	names: z.array(z.string()),
	entries: z.array(z.string()),
	since: z.number().nullable(),
	total: z.number().nullable(),
	stats: z.record(z.number()).nullable(),
	settled: z.boolean(),
});

/** A history as it lies in the workflow's static data. */
type PackedHistory = z.infer<typeof packedSchema>;

/** Characters of a hash: two ids of a window share one with a chance of about 1 in 10^7. */
const keyLength = 8;

/** A short key for an id of any length. */
export const keyOf = (id: unknown): string =>
	createHash('sha256').update(String(id)).digest('base64url').slice(0, keyLength);

/** Both forms of the histories of this process: reading and writing 10,000 entries takes longer than a poll. */
const packedForms = new WeakMap<History, PackedHistory>();
const histories = new WeakMap<object, History>();

function remember(history: History, packed: PackedHistory): void {
	packedForms.set(history, packed);
	histories.set(packed, history);
}

/** The history as it is stored; neither may be changed. A history that is packed again gives the same. */
export function pack(history: History): PackedHistory {
	const known = packedForms.get(history);
	if (known) return known;
	const packed = written(history);
	remember(history, packed);
	return packed;
}

/** Writes each entry as key, status, statuses seen (a bit each) and time. */
function written({ entries, ...rest }: History): PackedHistory {
	const names = [...new Set(entries.flatMap(({ seen }) => seen))];
	const bits = (seen: string[]) => seen.reduce((sum, name) => sum + 2 ** names.indexOf(name), 0);
	const packed = entries.map(({ key, time, status, seen }) =>
		[key, ...[names.indexOf(status), bits(seen), time].map((part) => part.toString(36))].join('.'),
	);
	return { names, entries: packed, ...rest };
}

/** The history of a node's static data; undefined if there is none or it cannot be read. */
export function unpack(value: unknown): History | undefined {
	const known = histories.get(value as object);
	if (known) return known;
	const parsed = packedSchema.safeParse(value);
	if (!parsed.success) return undefined;
	const history = read(parsed.data);
	remember(history, value as PackedHistory);
	return history;
}

function read({ names, entries, ...rest }: PackedHistory): History {
	const unpacked = entries.map((text) => {
		const [key = '', status = 0, bits = 0, time = 0] = text
			.split('.')
			.map((part, index) => (index === 0 ? part : parseInt(part, 36))) as [string, ...number[]];
		const seen = names.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1);
		return { key, time, status: names[status] ?? '', seen };
	});
	return { entries: unpacked, ...rest };
}

const indices = new WeakMap<History, ReadonlyMap<string, Entry>>();

/** The entries of a history by key. */
export function entriesByKey(history: History): ReadonlyMap<string, Entry> {
	const known = indices.get(history) ?? new Map(history.entries.map((entry) => [entry.key, entry]));
	indices.set(history, known);
	return known;
}
