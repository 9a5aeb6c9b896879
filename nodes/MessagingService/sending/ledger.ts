import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { KeyedQueue } from './keyedQueue';

/** Keys of a node that are remembered. */
const mostKeys = 10_000;

/** Entries of a node: its keys, with room for claims that are under way or left by crashes. */
const maxEntries = 12_000;

/** Entries that are of no use any more are removed together: each removal rewrites the row. */
const garbageLimit = 500;

/** Milliseconds before each further try of a write that n8n's database refused. */
const pauses = [5, 50, 200];

/** What became of a send that another execution of this process has under way. */
export type Fate = 'accepted' | 'unknown' | 'free';

/** The node's row, while no other run of this process writes it. */
export interface Row {
	note(entries: string[], held?: string[]): Promise<Set<string>>;
	strike(entries: string[]): Promise<void>;
}

/**
 * What a node has noted in n8n's database, at once and in the middle of a run: texts, of which
 * n8n keeps hashes in one row per workflow and node.
 *
 * n8n reads and writes the row without a lock. Therefore all writes of a process take turns, and each
 * repeats what is under way, so that another process that writes at the same time loses little.
 */
export class Ledger {
	private static readonly ledgers = new Map<string, Ledger>();

	/** Runs that cannot be told apart by their sends, and therefore take turns. */
	readonly runs = new KeyedQueue();

	/** Sends that are under way in this process, by id. */
	readonly underWay = new Map<string, Promise<Fate>>();

	/** Keyed sends that are known to be accepted without asking for them again, the oldest first. */
	private readonly accepted = new Set<string>();

	private last: Promise<unknown> = Promise.resolve();

	/** Entries that every write repeats. */
	private readonly held = new Set<string>();

	private garbage: string[] = [];

	/** The ledger of a node; undefined in a workflow that was never saved, which has no row. */
	static of(context: IExecuteFunctions): Ledger | undefined {
		const { id } = context.getWorkflow();
		if (id === undefined || id === '') return undefined;
		const name = `${id} ${context.getNode().id}`;
		const ledger = Ledger.ledgers.get(name) ?? new Ledger();
		Ledger.ledgers.set(name, ledger);
		return ledger;
	}

	/**
	 * Notes entries.
	 *
	 * @param held those that are under way from now on
	 * @returns which of them had been noted before
	 * @throws Failure `notSent` when n8n's database refuses
	 */
	async note(
		context: IExecuteFunctions,
		entries: string[],
		held: string[] = [],
	): Promise<Set<string>> {
		return await this.turn(context, async (row) => await row.note(entries, held));
	}

	/** Takes entries back; throws Failure. */
	async strike(context: IExecuteFunctions, entries: string[]): Promise<void> {
		await this.turn(context, async (row) => await row.strike(entries));
	}

	/** Does several steps of which no other run of this process sees a part; throws Failure. */
	async turn<T>({ helpers }: IExecuteFunctions, work: (row: Row) => Promise<T>): Promise<T> {
		const row: Row = {
			note: async (entries, held = []) => {
				for (const entry of held) this.held.add(entry);
				const all = [...new Set([...this.held, ...entries])];
				const { processed } = await persistently(
					async () =>
						await helpers.checkProcessedAndRecord(all, 'node', { mode: 'entries', maxEntries }),
				).catch((error: unknown) => {
					// Before the next turn: what was refused is not noted by another run.
					this.release(held);
					throw error;
				});
				return new Set(processed.map(String));
			},
			strike: async (entries) => {
				for (const entry of entries) this.held.delete(entry);
				const all = [...entries, ...this.garbage.splice(0)];
				if (all.length === 0) return;
				await persistently(
					async () => await helpers.removeProcessed(all, 'node', { mode: 'entries' }),
				);
			},
		};
		const turn = this.last.then(async () => await work(row));
		this.last = turn.catch(() => {});
		return await turn;
	}

	/** Whether this process remembers that a send was accepted. */
	knows(id: string): boolean {
		return this.accepted.has(id);
	}

	/** Remembers a keyed send that was accepted. */
	remember(id: string): void {
		this.accepted.add(id);
		for (const oldest of this.accepted) {
			if (this.accepted.size <= mostKeys) break;
			this.accepted.delete(oldest);
		}
	}

	/** Ends that entries are repeated; they stay noted. */
	release(entries: string[]): void {
		for (const entry of entries) this.held.delete(entry);
	}

	/** Takes entries back some time: nothing depends on them any more. */
	async discard(context: IExecuteFunctions, entries: string[]): Promise<void> {
		this.garbage.push(...entries);
		if (this.garbage.length >= garbageLimit) await this.strike(context, []);
	}
}

/** Two first writes at the same time, in two processes, end in a refusal of one of them. */
async function persistently<T>(write: () => Promise<T>): Promise<T> {
	for (const pause of pauses) {
		try {
			return await write();
		} catch {
			await sleep(pause);
		}
	}
	return await write().catch((error: unknown) => {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Failure(`n8n's database could not note what is sent: ${reason}`, {
			outcome: 'notSent',
			description:
				'Without that note a retry could send twice. Check the database of n8n, then run the workflow again.',
		});
	});
}
