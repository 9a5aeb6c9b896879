import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';

/** Entries of a node's row; n8n drops the oldest beyond. A send has four, and its key another one for good. */
export const maxEntries = 50_000;

/** Milliseconds before each further try of a write that n8n's database refused. */
const pauses = [5, 50, 250, 1_000];

/** What became of a question to n8n's database that it refused. */
const retryAdvice =
	'Check the database of n8n: without that note a send could go out twice, so nothing more was sent.';

/**
 * What a node has noted in n8n's database, at once and in the middle of a run: texts, of which n8n
 * keeps hashes in one row per workflow and node. They can be added, which tells those that were there
 * already, and removed; nothing else.
 *
 * n8n reads and writes the row without a lock. Therefore all writes of a process take turns, and each
 * repeats what is under way, so that another process that writes at the same time loses little.
 */
export class Store {
	private last: Promise<unknown> = Promise.resolve();

	/** Entries that every write repeats. */
	private readonly repeated = new Set<string>();

	/** Entries that n8n's database has refused to remove: they go before anything else is noted. */
	private readonly owed = new Set<string>();

	/** Entries that nothing depends on any more: they go together with others, for each write costs the same. */
	private readonly forgotten = new Set<string>();

	/**
	 * Does several steps of which no other run of this process sees a part.
	 *
	 * @throws Failure `notSent` when n8n's database refuses to note something; removing never fails,
	 * but is made up for before the next note
	 */
	async turn<T>({ helpers }: IExecuteFunctions, work: (row: Row) => Promise<T>): Promise<T> {
		const options = { mode: 'entries' as const };
		const clear = async () => {
			const all = [...this.owed];
			if (all.length > 0) await helpers.removeProcessed(all, 'node', options);
			for (const entry of all) this.owed.delete(entry);
		};
		const row: Row = {
			note: async (entries, repeated = []) => {
				const all = [...new Set([...this.repeated, ...repeated, ...entries])];
				const { processed } = await persistently(async () => {
					await clear();
					return await helpers.checkProcessedAndRecord(all, 'node', { ...options, maxEntries });
				}).catch((error: unknown) => {
					const reason = error instanceof Error ? error.message : String(error);
					throw new Failure(`n8n's database could not note what is sent: ${reason}`, {
						outcome: 'notSent',
						description: retryAdvice,
					});
				});
				// Before the next turn, so that it is repeated there.
				for (const entry of repeated) this.repeated.add(entry);
				return new Set(processed.map(String));
			},
			strike: async (entries) => {
				for (const entry of entries) this.repeated.delete(entry);
				if (entries.length > 0) {
					this.discard([...entries, ...this.forgotten]);
					this.forgotten.clear();
				}
				await persistently(clear).catch(() => {});
			},
		};
		const turn = this.last.then(async () => await work(row));
		this.last = turn.catch(() => {});
		return await turn;
	}

	/** Ends that entries are repeated; they stay noted. */
	release(entries: string[]): void {
		for (const entry of entries) this.repeated.delete(entry);
	}

	/** Has entries removed before the next note. */
	discard(entries: Iterable<string>): void {
		for (const entry of entries) this.owed.add(entry);
	}

	/** Has entries removed with the next that are struck. */
	forget(entries: Iterable<string>): void {
		for (const entry of entries) this.forgotten.add(entry);
	}
}

/** A node's row, while no other run of this process writes it. */
export interface Row {
	/**
	 * Notes entries.
	 *
	 * @param repeated those that are under way from now on, until they are struck or released
	 * @returns which had been noted before
	 */
	note(entries: string[], repeated?: string[]): Promise<Set<string>>;
	strike(entries: string[]): Promise<void>;
}

/** Two first writes at the same time, in two processes, end in a refusal of one of them, too. */
async function persistently<T>(write: () => Promise<T>): Promise<T> {
	for (const pause of pauses) {
		try {
			return await write();
		} catch {
			await sleep(pause);
		}
	}
	return await write();
}

/** Ids of sends that a run of this process has under way; other runs wait for them. */
export class Holds {
	private readonly held = new Map<string, Hold>();

	/**
	 * Takes ids, all of them at once as soon as all are free: nobody holds some while it waits for others.
	 *
	 * @param hurry called when somebody waits for them
	 */
	async take(ids: string[], hurry: () => void): Promise<void> {
		for (;;) {
			const busy = ids.map((id) => this.held.get(id)).find((hold) => hold !== undefined);
			if (!busy) break;
			busy.hurry();
			await busy.freed;
		}
		for (const id of ids) {
			let free = () => {};
			const freed = new Promise<void>((resolve) => (free = resolve));
			this.held.set(id, { freed, free, hurry });
		}
	}

	release(ids: string[]): void {
		for (const id of ids) {
			this.held.get(id)?.free();
			this.held.delete(id);
		}
	}
}

interface Hold {
	freed: Promise<void>;
	free(): void;
	hurry(): void;
}

/** What this process knows of a node beyond one execution. */
export interface NodeState {
	store: Store;
	holds: Holds;
}

const states = new Map<string, NodeState>();

/** The state of a node; undefined in a workflow that was never saved, which has no row. */
export function stateOf(context: IExecuteFunctions): NodeState | undefined {
	const { id } = context.getWorkflow();
	if (id === undefined || id === '') return undefined;
	const name = `${id} ${context.getNode().id}`;
	const state = states.get(name) ?? { store: new Store(), holds: new Holds() };
	states.set(name, state);
	return state;
}

/** What the log knows of a send; of one that is unclear only that something went to its recipient. */
export type Known = 'new' | 'accepted' | 'unknown' | 'unclear';

/** Says of an id that it was noted and is not known to have ended. */
export const open = (id: string): string => `open ${id}`;

export const withOpen = (ids: string[]): string[] => [...ids, ...ids.map(open)];

/** What the entries that were there say of something that is noted by any of these ids. */
export function knownIn(before: Set<string>, ids: string[]): Known {
	const there = ids.filter((id) => before.has(id));
	if (there.length === 0) return 'new';
	return there.some((id) => before.has(open(id))) ? 'unknown' : 'accepted';
}
