import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';

/** Entries of a node's row; n8n drops the oldest beyond. */
const maxEntries = 50_000;

/** Milliseconds before each further try of a write that n8n's database refused. */
const pauses = [5, 50, 250, 1_000];

const options = { mode: 'entries' as const, maxEntries };

/**
 * A node's row in n8n's database: texts that can be added, which tells those that were there, and
 * removed; nothing else. n8n reads and writes it without a lock, so writes of a process take turns.
 */
export class Row {
	private last: Promise<unknown> = Promise.resolve();

	/** Repeated with every write, so that another process that writes meanwhile loses little. */
	readonly underWay = new Set<string>();

	/** What n8n's database has refused to remove: it goes before anything else is noted. */
	private readonly owed = new Set<string>();

	private readonly held = new Set<string>();

	private waiting: Array<() => void> = [];

	/** Takes ids as soon as all of them are free: another run of this process may be sending them. */
	async hold(ids: string[]): Promise<void> {
		while (ids.some((id) => this.held.has(id)))
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		for (const id of ids) this.held.add(id);
	}

	letGo(ids: string[]): void {
		for (const id of ids) this.held.delete(id);
		for (const look of this.waiting.splice(0)) look();
	}

	/** Does several steps of which no other run of this process sees a part. */
	async turn<T>(work: () => Promise<T>): Promise<T> {
		const turn = this.last.then(work);
		this.last = turn.catch(() => {});
		return await turn;
	}

	/** Notes entries and gives those that were there; throws Failure `notSent` if n8n's database refuses. */
	async note({ helpers }: IExecuteFunctions, entries: string[]): Promise<Set<string>> {
		const all = [...new Set([...this.underWay, ...entries])];
		const { processed } = await persistently(async () => {
			await this.clear(helpers);
			return await helpers.checkProcessedAndRecord(all, 'node', options);
		}).catch(refuse);
		return new Set(processed.map(String));
	}

	/** Removes entries; what n8n's database refuses is made up for before the next note. */
	async strike({ helpers }: IExecuteFunctions, entries: string[]): Promise<void> {
		for (const entry of entries) {
			this.owed.add(entry);
			this.underWay.delete(entry);
		}
		await persistently(async () => await this.clear(helpers)).catch(() => {});
	}

	private async clear(helpers: IExecuteFunctions['helpers']): Promise<void> {
		const all = [...this.owed];
		if (all.length > 0) await helpers.removeProcessed(all, 'node', options);
		for (const entry of all) this.owed.delete(entry);
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
