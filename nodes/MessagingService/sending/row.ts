import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { limiter } from '../limiter';

/** Milliseconds before each further attempt of a write that n8n's database rejected. */
const pauses = [5, 50, 250, 1_000];

/** Beyond `maxEntries`, n8n drops the oldest entries. */
const options = { mode: 'entries' as const, maxEntries: 50_000 };

/**
 * The row of a node in n8n's database: a set of texts. Adding texts reports which existed; nothing can be read.
 * n8n reads and rewrites the row without a lock, so the writes of a process take turns.
 */
export class Row {
	/** Calls one function at a time, so that no other run of the node in this process sees a half-done change. */
	readonly turn = limiter(1);

	/** Entries of sends in flight: each write repeats them, in case another process has overwritten the row. */
	readonly kept = new Set<string>();

	/** Entries that n8n's database failed to remove: they are removed before anything else is noted. */
	private readonly pendingRemovals = new Set<string>();

	/** Ids of the sends that a node run in this process is making or looking up. */
	private readonly locked = new Set<string>();

	private waiting: Array<() => void> = [];

	/** Waits until no other node run in this process holds any of the ids, then holds all of them. */
	async acquire(ids: string[]): Promise<void> {
		while (ids.some((id) => this.locked.has(id)))
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		for (const id of ids) this.locked.add(id);
	}

	release(ids: string[]): void {
		for (const id of ids) this.locked.delete(id);
		for (const wake of this.waiting.splice(0)) wake();
	}

	/** Adds entries; returns those that existed; throws Failure `notSent` if n8n's database fails. */
	async note({ helpers }: IExecuteFunctions, entries: string[]): Promise<Set<string>> {
		const all = [...new Set([...this.kept, ...entries])];
		const { processed } = await withRetries(async () => {
			await this.removePending(helpers);
			return await helpers.checkProcessedAndRecord(all, 'node', options);
		}).catch(fail);
		return new Set(processed.map(String));
	}

	/** Removes entries, at the latest with the next `note`. */
	async remove({ helpers }: IExecuteFunctions, entries: string[]): Promise<void> {
		for (const entry of entries) {
			this.pendingRemovals.add(entry);
			this.kept.delete(entry);
		}
		await withRetries(async () => await this.removePending(helpers)).catch(() => {});
	}

	private async removePending(helpers: IExecuteFunctions['helpers']): Promise<void> {
		const all = [...this.pendingRemovals];
		if (all.length > 0) await helpers.removeProcessed(all, 'node', options);
		for (const entry of all) this.pendingRemovals.delete(entry);
	}
}

const rows = new Map<string, Row>();

/** The row of a node; undefined in a workflow that was never saved, which has none. */
export function rowOf(context: IExecuteFunctions): Row | undefined {
	const { id } = context.getWorkflow();
	if (!id) return undefined;
	const name = `${id} ${context.getNode().id}`;
	const row = rows.get(name) ?? new Row();
	rows.set(name, row);
	return row;
}

async function withRetries<T>(write: () => Promise<T>): Promise<T> {
	for (const pause of pauses) {
		try {
			return await write();
		} catch {
			await sleep(pause);
		}
	}
	return await write();
}

function fail(error: Error): never {
	throw new Failure(`n8n's database could not save what is about to be sent: ${error.message}`, {
		outcome: 'notSent',
		description:
			"Check n8n's database. Sending stopped, because without a record a retry could send items twice.",
	});
}
