import { chunk, difference, get, reject, sumBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Failure } from '../api/failure';
import type { Send } from '../job';
import { campaign, isKey } from './identity';
import type { Memory } from './memory';
import type { Row } from './row';

/**
 * The ledger's verdict on a send before it goes out:
 * - `new`: nothing, so it may go out;
 * - `again`: its fate is unknown, and the user wants it sent again;
 * - `accepted`: it was sent;
 * - `unknown`: it may have been sent;
 * - `byKey`: another execution or another item has sent something with its key;
 * - `unclear`: a send that nothing accounts for went to its recipient or used its key.
 */
export type Known = 'new' | 'again' | 'accepted' | 'unknown' | 'byKey' | 'unclear';

/** Outcome of a send: accepted, possibly accepted, or certainly nothing sent. */
export type Fate = 'accepted' | 'unknown' | 'free';

/** Maximum recipients noted per execution: n8n keeps 50,000 entries per node and rewrites them all. */
const mostNoted = 15_000;

/**
 * The ledger of a run in n8n's database, written ahead of each send (docs/contract.md, sections 4.3 and
 * 4.5). README.md beside this file shows what it writes in the life of a send.
 */
export class Ledger {
	/** Sends counted per recipient in this execution. */
	private readonly counts: Record<string, number>;

	/** Sends in flight, with the entries added and recipients counted for each. */
	private readonly inFlight = new Map<Send, { added: string[]; counted: string[] }>();

	/** @param isResent whether sends of unknown fate are sent again */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly row: Row,
		private readonly memory: Memory,
		private readonly isResent: boolean,
	) {
		this.counts = memory.totalsNow().to;
	}

	/** Queries what earlier attempts noted; the memory already counts those in `counted`. Throws Failure. */
	async find(sends: Send[], counted: Set<Send>, atOnce: number): Promise<Map<Send, Known>> {
		const { saved } = this.memory;
		const found = new Map<Send, Known>();
		for (const group of chunk(sends, atOnce)) {
			const before = await this.ask(group, () => []);
			for (const send of group) {
				const known = this.knownIn(before, send);
				found.set(send, known);
				if (known === 'unclear' || counted.has(send)) continue;
				const own = countedIn(before, send);
				this.count(own, 1);
				saved.noted += own.length;
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

	/** Notes the next sends and returns a verdict on each; if it throws a Failure, none may go out. */
	async begin(sends: Send[]): Promise<Known[]> {
		const { saved } = this.memory;
		const size = sumBy(sends, ({ to }) => to.length);
		const isOverrun = saved.noted + size > mostNoted;
		if (!isOverrun) saved.noted += size;
		// Beyond the limit, only keys are noted, and one overrun entry.
		else for (const send of sends) Object.assign(send, { ids: send.ids.filter(isKey), to: [] });
		await this.row.hold(sends.flatMap(({ ids }) => ids));
		try {
			return await this.row.turn(async () => await this.note(sends, isOverrun));
		} finally {
			const left = sends.filter((send) => !this.inFlight.has(send));
			this.row.letGo(left.flatMap(({ ids }) => ids));
		}
	}

	/** Removes entries that ended sends no longer need; never throws. */
	async settle(ended: Array<[Send | undefined, Fate]>): Promise<void> {
		const useless: string[] = [];
		const ids: string[] = [];
		for (const [send, fate] of ended) {
			const own = send && this.inFlight.get(send);
			if (!send || !own) continue;
			this.inFlight.delete(send);
			for (const entry of entriesOf(send)) this.row.inFlight.delete(entry);
			if (fate === 'accepted') useless.push(...send.ids.map(open));
			if (fate === 'free') useless.push(...this.giveBack(own.counted), ...own.added);
			ids.push(...send.ids);
		}
		await this.remove(useless);
		this.row.letGo(ids);
	}

	/** Notes keys added to sends after earlier attempts settled them; throws Failure. */
	async noteKeys(decided: Array<[Send | undefined, Fate]>): Promise<void> {
		const keyed = decided.flatMap(([send, fate]): Array<[Send, Fate]> => {
			const ids = send?.ids.filter(isKey) ?? [];
			return send && ids.length > 0 ? [[{ ...send, ids, to: send.to.filter(isKey) }, fate]] : [];
		});
		if (keyed.length === 0) return;
		await this.begin(keyed.map(([send]) => send));
		await this.settle(keyed);
	}

	/** Removes the entries of the execution, except keys. */
	async forget(): Promise<void> {
		const { saved } = this.memory;
		await this.remove([...(ofExecution.get(saved) ?? [])]);
		ofExecution.delete(saved);
	}

	private async note(sends: Send[], isOverrun: boolean): Promise<Known[]> {
		const { saved } = this.memory;
		const isMarked = isOverrun && !saved.overruns.includes(saved.owner);
		const numbers = sends.map((send) => {
			this.count(send.to, 1);
			return this.numbersOf(send.to);
		});
		const all = [...numbers.flat(), ...sends.flatMap(entriesOf)];
		if (isMarked) all.push(this.overrun);
		this.keepForEnd(all);
		const before = await this.row.note(this.context, all).catch((failure: Failure) => {
			for (const send of sends) this.count(send.to, -1);
			throw failure;
		});
		if (isMarked) saved.overruns.push(saved.owner);
		const useless: string[] = [];
		const known = sends.map((send, n): Known => {
			// With a complete memory, only keys matter: other matches are another execution's.
			const isNews = !this.memory.isComplete || send.ids.some(isKey);
			const fate = isNews ? this.knownIn(before, send, numbers[n]) : 'new';
			const added = reject(entriesOf(send), (entry) => before.has(entry));
			const isSent = fate === 'new' || fate === 'again';
			// A resent send is already numbered.
			const twice = isSent ? countedIn(before, send) : send.to;
			useless.push(...this.giveBack(twice), ...(isSent ? [] : added));
			if (!isSent) return fate;
			const counted = fate === 'again' ? [] : difference(send.to, twice);
			this.inFlight.set(send, { added, counted });
			for (const entry of entriesOf(send)) this.row.inFlight.add(entry);
			return fate;
		});
		const gone = reject(useless, (entry) => before.has(entry));
		await this.row.remove(this.context, gone);
		return known;
	}

	/**
	 * The existing entries of sends, and traces of other sends. n8n reports entries only while adding them,
	 * so new ones are removed. A kill in between leaves sends that look open, and the entry `asking`.
	 */
	private async ask(sends: Send[], traces: (send: Send) => string[]): Promise<Set<string>> {
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

	/** Entry of an attempt killed during its lookup. */
	private get asking(): string {
		return `${this.memory.saved.name} asking`;
	}

	/** Entry of an attempt that exceeded the limit; the memory lists earlier ones. */
	private get overrun(): string {
		const { name, overruns } = this.memory.saved;
		return `${name} overrun ${overruns.length + 1}`;
	}

	/** @param traces entries that a send no longer in the list may have */
	private knownIn(before: Set<string>, send: Send, traces: string[] = []): Known {
		const [own = '', key = ''] = send.ids;
		const isClosed = (id: string) => before.has(id) && !before.has(open(id));
		if (isClosed(own)) return 'accepted';
		if (isClosed(key)) return 'byKey';
		if (!before.has(own) && !before.has(key)) {
			if (!traces.some((trace) => before.has(trace))) return 'new';
			// If chunks differ, nothing shows who was reached, so nothing is sent again.
			return this.isResent && !send.to.includes(campaign) ? 'again' : 'unclear';
		}
		if (before.has(this.asking)) return 'unclear';
		if (this.isResent) return 'again';
		return before.has(own) ? 'unknown' : 'unclear';
	}

	/** Number entries of recipients: current count plus `ahead`. */
	private numbersOf(to: string[], ahead = 0): string[] {
		return to.map((one) => {
			const scope = isKey(one) ? one : `${this.memory.saved.name} to ${one}`;
			return `${scope} number ${(this.counts[one] ?? 0) + ahead}`;
		});
	}

	/** Frees the highest numbers of an undone send, so numbers have no gaps. */
	private giveBack(to: string[]): string[] {
		const last = this.numbersOf(to);
		this.count(to, -1);
		return last;
	}

	private count(to: string[], change: number): void {
		for (const one of to) this.counts[one] = (this.counts[one] ?? 0) + change;
	}

	private async remove(entries: string[]): Promise<void> {
		await this.row.turn(async () => await this.row.remove(this.context, entries));
	}

	/** Collects entries, except keys, to remove once the execution succeeds. */
	private keepForEnd(entries: string[]): void {
		const { context, memory } = this;
		const { saved } = memory;
		const own = ofExecution.get(saved) ?? new Set<string>();
		for (const entry of entries) if (!/^(open )?key /.test(entry)) own.add(entry);
		if (ofExecution.has(saved)) return;
		ofExecution.set(saved, own);
		context.onExecutionFinish?.(() => {
			// Failed or stopped executions can be retried, even several times. `runExecutionData` is not
			// typed.
			const run = get(context, 'runExecutionData.resultData') as IDataObject | undefined;
			const isOver = run && run.error === undefined && context.getMode() !== 'retry';
			if (isOver && !context.getExecutionCancelSignal()?.aborted) void this.forget();
		});
	}
}

const open = (id: string): string => `open ${id}`;
const entriesOf = ({ ids }: Send): string[] => ids.flatMap((id) => [id, open(id)]);

/** The recipients that a found send has numbers for. */
const countedIn = (before: Set<string>, { ids: [own = '', key = ''], to }: Send): string[] =>
	to.filter((one) => before.has(isKey(one) ? key : own));

/** The entries of executions that are under way. */
const ofExecution = new WeakMap<object, Set<string>>();
