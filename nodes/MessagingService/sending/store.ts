import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';

/** Entries of a node's row; n8n drops the oldest beyond. */
export const maxEntries = 50_000;

/** Milliseconds before each further try of a write that n8n's database refused. */
const pauses = [5, 50, 250, 1_000];

/** What a node's row is asked and told. */
export interface Row {
	/**
	 * Notes entries and gives those that were there; throws Failure `notSent` when n8n's database refuses.
	 *
	 * @param underWay those that every write repeats until they are struck or released
	 */
	note(entries: string[], underWay?: string[]): Promise<Set<string>>;
	/** Removes entries. Never fails: what n8n's database refuses is made up for before the next note. */
	strike(entries: string[]): Promise<void>;
}

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

	private readonly underWay = new Set<string>();

	/** Entries that n8n's database has refused to remove: they go before anything else is noted. */
	private readonly owed = new Set<string>();

	/** Entries that nothing depends on any more: they go together with others, for each write costs the same. */
	private readonly forgotten = new Set<string>();

	/**
	 * Does several steps of which no other run of this process sees a part.
	 *
	 * @param noted gets what the execution notes; nothing else is struck for it
	 */
	async turn<T>(
		{ helpers }: IExecuteFunctions,
		noted: Set<string>,
		work: (row: Row) => Promise<T>,
	): Promise<T> {
		const options = { mode: 'entries' as const };
		const clear = async () => {
			const all = [...this.owed];
			if (all.length > 0) await helpers.removeProcessed(all, 'node', options);
			for (const entry of all) this.owed.delete(entry);
		};
		const note: Row['note'] = async (entries, underWay = []) => {
			for (const entry of entries) {
				noted.add(entry);
				this.forgotten.delete(entry);
			}
			const all = [...new Set([...this.underWay, ...underWay, ...entries])];
			const { processed } = await persistently(async () => {
				await clear();
				return await helpers.checkProcessedAndRecord(all, 'node', { ...options, maxEntries });
			}).catch(refuse);
			// Before the next turn, so that it is repeated there.
			for (const entry of underWay) this.underWay.add(entry);
			return new Set(processed.map(String));
		};
		const strike: Row['strike'] = async (entries) => {
			const own = entries.filter((entry) => noted.delete(entry));
			if (own.length === 0 && this.owed.size === 0) return;
			this.discard([...own, ...this.forgotten]);
			this.forgotten.clear();
			await persistently(clear).catch(() => {});
		};
		const turn = this.last.then(async () => await work({ note, strike }));
		this.last = turn.catch(() => {});
		return await turn;
	}

	/** Ends that entries are repeated; they stay noted. */
	release(entries: string[]): void {
		for (const entry of entries) this.underWay.delete(entry);
	}

	/** Has entries removed before the next note. */
	discard(entries: string[]): void {
		this.release(entries);
		for (const entry of entries) this.owed.add(entry);
	}

	/** Has entries removed with the next that are struck. */
	forget(entries: Iterable<string>): void {
		for (const entry of entries) this.forgotten.add(entry);
	}
}

/** Which entries are noted; those that are not are struck again. Throws Failure. */
export async function ask(row: Row, entries: string[]): Promise<Set<string>> {
	const before = await row.note(entries);
	await row.strike(entries.filter((entry) => !before.has(entry)));
	return before;
}

const indeed = (mark: string): string => `${mark} indeed`;

/** What a mark is noted by: of a question about it that a kill cuts short only the first stays. */
export const twofold = (marks: string[]): string[] => [...marks, ...marks.map(indeed)];

/** Which marks are noted twofold. Throws Failure. */
export async function marked(row: Row, marks: string[]): Promise<Set<string>> {
	const before = await ask(row, marks);
	const found = marks.filter((mark) => before.has(mark));
	if (found.length === 0) return new Set();
	const sure = await ask(row, found.map(indeed));
	return new Set(found.filter((mark) => sure.has(indeed(mark))));
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

function refuse(error: Error): never {
	throw new Failure(`n8n's database could not note what is sent: ${error.message}`, {
		outcome: 'notSent',
		description:
			'Check the database of n8n: without that note a send could go out twice, so nothing more was sent.',
	});
}

/** Ids of sends that a run of this process has under way; other runs wait for them. */
export class Holds {
	private readonly held = new Set<string>();

	private readonly waiting: Array<() => void> = [];

	/** Takes ids, all of them at once as soon as all are free: nobody holds some while it waits for others. */
	async take(ids: string[]): Promise<void> {
		while (ids.some((id) => this.held.has(id)))
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		for (const id of ids) this.held.add(id);
	}

	release(ids: string[]): void {
		for (const id of ids) this.held.delete(id);
		for (const look of this.waiting.splice(0)) look();
	}
}

/** What this process knows of a node beyond one execution. */
export interface NodeState {
	store: Store;
	holds: Holds;
	/** What forgets executions that have ended, the oldest first. */
	ended: Array<() => void>;
	/** How many executions that have the same in common are not known to have ended well. */
	others: Map<string, number>;
}

const states = new Map<string, NodeState>();

/** The state of a node; undefined in a workflow that was never saved, which has no row. */
export function stateOf(context: IExecuteFunctions): NodeState | undefined {
	const { id } = context.getWorkflow();
	if (!id) return undefined;
	const name = `${id} ${context.getNode().id}`;
	const fresh = () => ({ store: new Store(), holds: new Holds(), ended: [], others: new Map() });
	const state: NodeState = states.get(name) ?? fresh();
	states.set(name, state);
	return state;
}
