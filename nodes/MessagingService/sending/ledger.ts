import { chunk, reject } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Failure } from '../api/failure';
import type { Send } from '../job';
import { campaign, isKey, isTool } from './identity';
import type { Memory } from './memory';
import type { Row } from './row';

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
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly row: Row,
		private readonly memory: Memory,
		private readonly isResent: boolean,
	) {
		this.counts = memory.totalsNow().to;
	}

	/** Asks, before anything goes out, what earlier attempts have noted; throws Failure. */
	async find(sends: Send[], atOnce: number): Promise<Map<Send, Known>> {
		const { saved } = this.memory;
		const found = new Map<Send, Known>();
		for (const group of chunk(sends, atOnce)) {
			const before = await this.ask(group);
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
		const traces = (send: Send) => [this.overrun, ...this.numbersOf(send.to, 1)];
		const left = sends.filter((send) => found.get(send) === 'new');
		for (const group of chunk(left, atOnce)) {
			const before = await this.ask(group, traces);
			for (const send of group) found.set(send, this.knownIn(before, send, traces(send)));
		}
		return found;
	}

	/** Notes the sends that go out next and reports which must not; if it throws a Failure, none may. */
	async begin(sends: Send[]): Promise<Known[]> {
		const { saved } = this.memory;
		const size = sends.filter(({ ids }) => !ids.every(isKey)).length;
		const isOverrun = saved.noted + size > mostNoted;
		if (!isOverrun) saved.noted += size;
		// Beyond the limit only keys are noted, and once that there was more.
		else for (const send of sends) Object.assign(send, { ids: send.ids.filter(isKey), to: [] });
		await this.row.hold(sends.flatMap(({ ids }) => ids));
		try {
			return await this.row.turn(async () => await this.note(sends, isOverrun));
		} finally {
			const left = sends.filter((send) => !this.inFlight.has(send));
			this.row.letGo(left.flatMap(({ ids }) => ids));
		}
	}

	/** Removes what is not true of sends that have ended; never throws. */
	async settle(ended: Array<[Send | undefined, Fate]>): Promise<void> {
		const useless: string[] = [];
		const ids: string[] = [];
		for (const [send, fate] of ended) {
			const added = send && this.inFlight.get(send);
			if (!send || !added) continue;
			this.inFlight.delete(send);
			for (const entry of entriesOf(send)) this.row.inFlight.delete(entry);
			if (fate === 'accepted') useless.push(...send.ids.map(open));
			if (fate === 'free') useless.push(...this.giveBack(send), ...added);
			ids.push(...send.ids);
		}
		await this.remove(useless);
		this.row.letGo(ids);
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
		const all = ended.get(this.row) ?? [];
		ended.set(this.row, all);
		all.push([...(ofExecution.get(saved) ?? [])]);
		ofExecution.delete(saved);
		await this.remove(all.splice(0, all.length - kept).flat());
	}

	private async note(sends: Send[], isOverrun: boolean): Promise<Known[]> {
		const { saved } = this.memory;
		const isMarked = isOverrun && !saved.overruns.includes(saved.owner);
		const numbers = sends.map((send) => {
			this.count(send.to, 1);
			return this.numbersOf(send.to);
		});
		const mark = isMarked ? [this.overrun] : [];
		const all = [...mark, ...numbers.flat(), ...sends.flatMap(entriesOf)];
		this.keepForEnd(all);
		const before = await this.row.note(this.context, all).catch((failure: Failure) => {
			for (const send of sends) this.count(send.to, -1);
			throw failure;
		});
		if (isMarked) saved.overruns.push(saved.owner);
		const useless: string[] = [];
		const known = sends.map((send, n): Known => {
			// Only keys tell a complete memory something: other entries are of another execution.
			const isNews = !this.memory.isComplete || send.ids.some(isKey);
			const fate = isNews ? this.knownIn(before, send, numbers[n]) : 'new';
			const added = entriesOf(send).filter((entry) => !before.has(entry));
			if (fate === 'new' || fate === 'again') {
				this.inFlight.set(send, added);
				for (const entry of entriesOf(send)) this.row.inFlight.add(entry);
			} else useless.push(...added, ...this.giveBack(send).filter((one) => !before.has(one)));
			return fate;
		});
		await this.row.remove(this.context, useless);
		return known;
	}

	/**
	 * Which entries of sends are there, and which traces of others. n8n can only be asked by adding them,
	 * so the new ones are removed again. A kill between the two leaves sends that look open; then `asking`
	 * is left, too.
	 */
	private async ask(sends: Send[], traces = (_: Send): string[] => []): Promise<Set<string>> {
		const ids = sends.flatMap((send) => send.ids);
		const entries = sends.flatMap((send) => [...entriesOf(send), ...traces(send)]);
		await this.row.hold(ids);
		const asked = this.row.turn(async () => {
			const all = [this.asking, ...entries];
			const before = await this.row.note(this.context, all);
			const added = reject(all, (entry) => before.has(entry));
			await this.row.remove(this.context, added);
			return before;
		});
		return await asked.finally(() => this.row.letGo(ids));
	}

	/** Left by an attempt that was killed while it asked. */
	private get asking(): string {
		return `${this.memory.saved.name} asking`;
	}

	/** Left by an attempt that sent more than is noted; the memory knows of those before it. */
	private get overrun(): string {
		const { name, overruns } = this.memory.saved;
		return `${name} overrun ${overruns.length + 1}`;
	}

	/** @param traces what a send may have left that is not in the list any more */
	private knownIn(before: Set<string>, send: Send, traces: string[] = []): Known {
		const [own = '', key = ''] = send.ids;
		const isClosed = (id: string) => before.has(id) && !before.has(open(id));
		if (isClosed(own)) return 'accepted';
		if (isClosed(key)) return 'byKey';
		if (!before.has(own) && !before.has(key)) {
			if (!traces.some((trace) => before.has(trace))) return 'new';
			// Of a campaign that is cut otherwise nobody can tell who was reached, so it is not sent again.
			return this.isResent && !send.to.includes(campaign) ? 'new' : 'unclear';
		}
		if (before.has(this.asking)) return 'unclear';
		if (this.isResent) return 'again';
		return before.has(own) ? 'unknown' : 'unclear';
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
		await this.row.turn(async () => await this.row.remove(this.context, entries));
	}

	/** Once the execution has ended well, nobody can ask for its entries any more; keys stay. */
	private keepForEnd(entries: string[]): void {
		const { context, memory } = this;
		const { saved } = memory;
		const own = ofExecution.get(saved) ?? new Set<string>();
		for (const entry of entries) if (!isKeyEntry(entry)) own.add(entry);
		if (ofExecution.has(saved)) return;
		ofExecution.set(saved, own);
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
const ofExecution = new WeakMap<object, Set<string>>();
const ended = new WeakMap<Row, string[][]>();
