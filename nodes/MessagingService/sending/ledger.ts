import { chunk, reject } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Failure } from '../api/failure';
import type { Send } from '../job';
import { campaign, isKey, isTool } from './identity';
import type { Memory } from './memory';
import { rowOf, type Row } from './row';

/**
 * What the ledger knows of a send before it goes out:
 * - `new`: nothing, so it may go out;
 * - `again`: its fate is unknown, and the user wants it sent again;
 * - `accepted`: it was sent;
 * - `unknown`: it may have been sent;
 * - `byKey`: another execution or another item has sent something with its key;
 * - `unclear`: something went to its recipient, or may have gone out with its key, that no known send
 *   accounts for, so it may be this one.
 */
export type Known = 'new' | 'again' | 'accepted' | 'unknown' | 'byKey' | 'unclear';

/** What became of a send: it was accepted, it may have been, or it certainly did not happen. */
export type Fate = 'accepted' | 'unknown' | 'free';

/** Sends that are noted for one execution: n8n keeps 50,000 entries of a node and rewrites all of them. */
const mostNoted = 15_000;

/** Executions of a tool whose notes are kept although they ended well: the agent may fail and be retried. */
const keptTools = 100;

/**
 * The ledger of a run in n8n's database, written ahead of each send (docs/contract.md, sections 4.3 and
 * 4.5): its ids, each id as open, and the next number of each recipient. Once the send has ended, what
 * is not true is removed. README.md beside this file shows the life of a send.
 */
export class Ledger {
	/** How many sends to each recipient this execution knows of. */
	private readonly counts: Record<string, number>;

	/** The sends in flight, with the entries that were added for them. */
	private readonly inFlight = new Map<Send, string[]>();

	/** @param isResent whether sends of unknown fate are sent again */
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly row: Row,
		private readonly memory: Memory,
		private readonly isResent: boolean,
	) {
		this.counts = memory.sentTo();
	}

	/** Undefined in a workflow that was never saved, for which n8n keeps nothing. */
	static of(context: IExecuteFunctions, memory: Memory, isResent: boolean): Ledger | undefined {
		const row = rowOf(context);
		return row && new Ledger(context, row, memory, isResent);
	}

	/** Asks, before anything goes out, what earlier attempts have noted; throws Failure. */
	async find(sends: Send[], atOnce: number): Promise<Known[]> {
		const { saved } = this.memory;
		const found = new Map<Send, Known>();
		for (const group of chunk(sends, atOnce)) {
			const before = await this.askFor(group);
			for (const send of group) {
				const known = this.knownIn(before, send);
				found.set(send, known);
				if (known === 'unclear') continue;
				const [isOwn, hasKey] = send.ids.map((id) => before.has(id));
				if (isOwn) this.count(reject(send.to, isKey), 1);
				if (isOwn) saved.noted++;
				if (hasKey) this.count(send.to.filter(isKey), 1);
			}
		}
		const left = sends.filter((send) => found.get(send) === 'new');
		const overrun = `${saved.name} overrun ${saved.overruns + 1}`;
		const isOverrun = left.length > 0 && (await this.ask([overrun])).has(overrun);
		for (const group of chunk(left, atOnce)) {
			const before = await this.askFor(group, 1);
			for (const send of group) {
				const known = this.knownIn(before, send);
				const isTaken =
					isOverrun || this.numbersOf(send.to, 1).some((number) => before.has(number));
				found.set(send, known === 'new' && isTaken ? this.unaccounted(send) : known);
			}
		}
		return sends.map((send) => found.get(send) ?? 'new');
	}

	/** Notes the sends that go out next and reports which must not; if it throws a Failure, none may. */
	async begin(sends: Send[]): Promise<Known[]> {
		await this.row.hold(sends.flatMap(({ ids }) => ids));
		try {
			return await this.row.turn(async () => await this.note(sends));
		} finally {
			const left = sends.filter((send) => !this.inFlight.has(send));
			this.row.letGo(left.flatMap(({ ids }) => ids));
		}
	}

	/** Removes what is not true of sends that have ended; never throws. */
	async settle(ended: Array<[Send | undefined, Fate]>): Promise<void> {
		const own = ended.flatMap(([send, fate]) =>
			send && this.inFlight.has(send) ? [{ send, fate, added: this.inFlight.get(send) ?? [] }] : [],
		);
		if (own.length === 0) return;
		const useless = own.flatMap(({ send, fate, added }) => {
			if (fate === 'accepted') return send.ids.map(open);
			return fate === 'free' ? [...this.giveBack(send), ...added] : [];
		});
		for (const { send } of own) {
			this.inFlight.delete(send);
			for (const entry of entriesOf(send)) this.row.inFlight.delete(entry);
		}
		await this.remove(useless);
		this.row.letGo(own.flatMap(({ send }) => send.ids));
	}

	/** Notes keys that sends did not have when earlier attempts decided their fate; throws Failure. */
	async noteKeys(decided: Array<[Send | undefined, Fate]>): Promise<void> {
		const keyed = decided.flatMap(([send, fate]): Array<[Send, Fate]> => {
			const ids = send?.ids.filter(isKey) ?? [];
			return send && ids.length > 0 ? [[{ ...send, ids, to: send.to.filter(isKey) }, fate]] : [];
		});
		if (keyed.length === 0) return;
		await this.begin(keyed.map(([send]) => send));
		await this.settle(keyed);
	}

	/** Removes the entries of executions that have ended, except keys and the last `kept` executions. */
	async forget(kept = 0): Promise<void> {
		const { saved } = this.memory;
		const own = notes.get(saved);
		if (!own) return;
		notes.delete(saved);
		const all = [...(ended.get(this.row) ?? []), [...own]];
		const gone = all.splice(0, all.length - kept);
		ended.set(this.row, all);
		await this.remove(gone.flat());
	}

	private async note(sends: Send[]): Promise<Known[]> {
		const { saved } = this.memory;
		const count = sends.filter(({ ids }) => !ids.every(isKey)).length;
		const isOverrun = saved.noted + count > mostNoted;
		// Beyond the limit only keys are noted, and once that there was more.
		const isMarked = isOverrun && saved.overrunBy !== saved.owner;
		const mark = isMarked ? [`${saved.name} overrun ${saved.overruns + 1}`] : [];
		if (isOverrun)
			for (const send of sends) Object.assign(send, { ids: send.ids.filter(isKey), to: [] });
		const numbers = sends.map((send) => {
			this.count(send.to, 1);
			return this.numbersOf(send.to);
		});
		const all = [...mark, ...numbers.flat(), ...sends.flatMap(entriesOf)];
		this.keepForEnd(all);
		const before = await this.row.note(this.context, all).catch((failure: Failure) => {
			for (const send of sends) this.count(send.to, -1);
			throw failure;
		});
		if (isMarked) Object.assign(saved, { overrunBy: saved.owner, overruns: saved.overruns + 1 });
		if (!isOverrun) saved.noted += count;
		const useless: string[] = [];
		const known = sends.map((send, n): Known => {
			const isTaken = (numbers[n] ?? []).some((number) => before.has(number));
			const found = this.knownIn(before, send);
			// Only keys tell a complete memory something: other entries are of another execution.
			const isNews = !this.memory.isComplete || send.ids.some(isKey);
			const fate = !isNews ? 'new' : found === 'new' && isTaken ? this.unaccounted(send) : found;
			const added = entriesOf(send).filter((entry) => !before.has(entry));
			if (fate === 'new' || fate === 'again') {
				this.inFlight.set(send, added);
				for (const entry of entriesOf(send)) this.row.inFlight.add(entry);
			} else useless.push(...added, ...this.giveBack(send).filter((one) => !before.has(one)));
			return fate;
		});
		if (useless.length > 0) await this.row.remove(this.context, useless);
		return known;
	}

	/** Asks for the ids of sends, and for the numbers of their recipients that are so many ahead. */
	private async askFor(sends: Send[], ahead = 0): Promise<Set<string>> {
		const ids = sends.flatMap((send) => send.ids);
		await this.row.hold(ids);
		const numbers = ahead > 0 ? sends.flatMap((send) => this.numbersOf(send.to, ahead)) : [];
		const entries = [...sends.flatMap(entriesOf), ...numbers];
		return await this.ask(entries).finally(() => this.row.letGo(ids));
	}

	/**
	 * Which entries are there. n8n can only be asked by adding them, so the new ones are removed again.
	 * A kill between the two leaves sends that look open; then `asking` is left, too.
	 */
	private async ask(entries: string[]): Promise<Set<string>> {
		return await this.row.turn(async () => {
			const all = [this.asking, ...entries];
			const before = await this.row.note(this.context, all);
			const added = all.filter((entry) => !before.has(entry));
			await this.row.remove(this.context, added);
			return before;
		});
	}

	private get asking(): string {
		return `${this.memory.saved.name} asking`;
	}

	private knownIn(before: Set<string>, { ids: [own = '', key] }: Send): Known {
		const isOwn = before.has(own);
		const id = isOwn ? own : key;
		if (id === undefined || !before.has(id)) return 'new';
		if (!before.has(open(id))) return isOwn ? 'accepted' : 'byKey';
		if (this.isResent) return 'again';
		return isOwn && !before.has(this.asking) ? 'unknown' : 'unclear';
	}

	/** Of a campaign that is cut otherwise nobody can tell who was reached, so it is not sent again. */
	private unaccounted({ to }: Send): Known {
		return this.isResent && !to.includes(campaign) ? 'new' : 'unclear';
	}

	/** The numbers of recipients; `ahead` of those that they have now. */
	private numbersOf(to: string[], ahead = 0): string[] {
		return to.map((one) => {
			const scope = isKey(one) ? one : `${this.memory.saved.name} to ${one}`;
			return `${scope} number ${(this.counts[one] ?? 0) + ahead}`;
		});
	}

	/** Numbers have no gaps: a send that did not happen gives back the last ones. */
	private giveBack(send: Send): string[] {
		const last = this.numbersOf(send.to);
		this.count(send.to, -1);
		return last;
	}

	private count(to: string[], change: number): void {
		for (const one of to) this.counts[one] = (this.counts[one] ?? 0) + change;
	}

	private async remove(entries: string[]): Promise<void> {
		if (entries.length > 0)
			await this.row.turn(async () => await this.row.remove(this.context, entries));
	}

	/** Once the execution has ended well, nobody can ask for its entries any more; keys stay. */
	private keepForEnd(entries: string[]): void {
		const { context, memory } = this;
		const { saved } = memory;
		const own = notes.get(saved) ?? new Set<string>();
		for (const entry of entries) if (!isKeyEntry(entry)) own.add(entry);
		if (notes.has(saved)) return;
		notes.set(saved, own);
		context.onExecutionFinish?.(() => {
			// A retry may be one of several, and what was stopped or has failed can be retried.
			const isOver = saved.ended !== undefined && context.getMode() !== 'retry';
			if (isOver && !context.getExecutionCancelSignal()?.aborted)
				void this.forget(isTool(context.getNode()) ? keptTools : 0);
		});
	}
}

const open = (id: string): string => `open ${id}`;
const entriesOf = ({ ids }: Send): string[] => ids.flatMap((id) => [id, open(id)]);
const isKeyEntry = (entry: string): boolean => /^(open )?key /.test(entry);

/** The entries of executions that are under way, and of those that have ended well, by node. */
const notes = new WeakMap<object, Set<string>>();
const ended = new WeakMap<Row, string[][]>();
