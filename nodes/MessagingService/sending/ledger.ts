import { chunk, difference, get, reject, sumBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Failure } from '../api/failure';
import type { Send } from '../job';
import { campaign, isKey } from './identity';
import type { Memory } from './memory';
import type { Row } from './row';

/**
 * The ledger's verdict on a send before it goes out:
 * - `new`: not found, so it may go out;
 * - `resend`: its fate is unknown, and the user wants it sent again;
 * - `accepted`: it was sent;
 * - `unknown`: it may have been sent;
 * - `keyUsed`: another execution or another item has sent something with its key;
 * - `unclear`: this or another send may have reached its recipient or used its key.
 */
export type Verdict = 'new' | 'resend' | 'accepted' | 'unknown' | 'keyUsed' | 'unclear';

/** Outcome of a send: accepted, possibly accepted, or certainly nothing sent. */
export type Fate = 'accepted' | 'unknown' | 'unsent';

/** Maximum recipients noted per execution: n8n keeps 50,000 entries per node and rewrites them all. */
const maxNoted = 15_000;

/**
 * The ledger of a run in n8n's database, written ahead of each send (docs/contract.md, sections 4.3 and
 * 4.5). README.md beside this file shows what it writes in the life of a send.
 */
export class Ledger {
	/** Sends counted per recipient in this execution. */
	private readonly counts: Record<string, number>;

	/** Sends in flight, with the entries added and recipients counted for each. */
	private readonly inFlight = new Map<Send, { added: string[]; numbered: string[] }>();

	/** @param resendUnknown whether sends of unknown fate are sent again */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly row: Row,
		private readonly memory: Memory,
		private readonly resendUnknown: boolean,
	) {
		this.counts = memory.totalsNow().to;
	}

	/** Looks up sends of earlier attempts; the memory already counts those in `counted`. Throws Failure. */
	async find(sends: Send[], counted: Set<Send | undefined>, atOnce: number) {
		const { saved } = this.memory;
		const found = new Map<Send, Verdict>();
		for (const group of chunk(sends, atOnce)) {
			const existing = await this.lookUp(group, () => []);
			for (const send of group) {
				const verdict = this.verdictIn(existing, send);
				found.set(send, verdict);
				if (verdict === 'unclear' || counted.has(send)) continue;
				const numbered = numberedIn(existing, send);
				this.count(numbered, 1);
				saved.noted += numbered.length;
			}
		}
		const traces = (send: Send) => [this.overrunMarker, ...this.numbersOf(send.to, 1)];
		const notFound = sends.filter((send) => found.get(send) === 'new');
		for (const group of chunk(notFound, atOnce)) {
			const existing = await this.lookUp(group, traces);
			for (const send of group) found.set(send, this.verdictIn(existing, send, traces(send)));
		}
		return found;
	}

	/** Notes the next sends and returns a verdict on each; if it throws a Failure, none may go out. */
	async begin(sends: Send[]): Promise<Verdict[]> {
		const { saved } = this.memory;
		const size = sumBy(sends, ({ to }) => to.length);
		const isOverrun = saved.noted + size > maxNoted;
		if (!isOverrun) saved.noted += size;
		// Beyond the limit, only keys are noted, and one overrun entry.
		else for (const send of sends) Object.assign(send, { ids: send.ids.filter(isKey), to: [] });
		await this.row.acquire(sends.flatMap(({ ids }) => ids));
		try {
			return await this.row.turn(async () => await this.note(sends, isOverrun));
		} finally {
			const notStarted = sends.filter((send) => !this.inFlight.has(send));
			this.row.release(notStarted.flatMap(({ ids }) => ids));
		}
	}

	/** Removes the obsolete entries of ended sends; never throws. */
	async settle(ended: Array<[Send | undefined, Fate]>): Promise<void> {
		const obsolete: string[] = [];
		const ids: string[] = [];
		for (const [send, fate] of ended) {
			const noted = send && this.inFlight.get(send);
			if (!send || !noted) continue;
			this.inFlight.delete(send);
			for (const entry of entriesOf(send)) this.row.inFlight.delete(entry);
			if (fate === 'accepted') obsolete.push(...send.ids.map(openEntry));
			if (fate === 'unsent') obsolete.push(...this.uncount(noted.numbered), ...noted.added);
			ids.push(...send.ids);
		}
		await this.remove(obsolete);
		this.row.release(ids);
	}

	/** Notes keys (maybe new) of sends with a result; throws Failure. */
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

	private async note(sends: Send[], isOverrun: boolean): Promise<Verdict[]> {
		const { saved } = this.memory;
		const isMarked = isOverrun && !saved.overruns.includes(saved.executionId);
		const numbers = sends.map((send) => {
			this.count(send.to, 1);
			return this.numbersOf(send.to);
		});
		const all = [...numbers.flat(), ...sends.flatMap(entriesOf)];
		if (isMarked) all.push(this.overrunMarker);
		this.keepForEnd(all);
		const existing = await this.row.note(this.context, all).catch((failure: Failure) => {
			for (const send of sends) this.count(send.to, -1);
			throw failure;
		});
		if (isMarked) saved.overruns.push(saved.executionId);
		const obsolete: string[] = [];
		const verdicts = sends.map((send, n): Verdict => {
			// If the memory is complete, only keys matter: it has this execution's other sends.
			const isRelevant = !this.memory.isComplete || send.ids.some(isKey);
			const verdict = isRelevant ? this.verdictIn(existing, send, numbers[n]) : 'new';
			const added = reject(entriesOf(send), (entry) => existing.has(entry));
			const isSent = verdict === 'new' || verdict === 'resend';
			// A resent send is already numbered.
			const alreadyCounted = isSent ? numberedIn(existing, send) : send.to;
			obsolete.push(...this.uncount(alreadyCounted), ...(isSent ? [] : added));
			if (!isSent) return verdict;
			const numbered = verdict === 'resend' ? [] : difference(send.to, alreadyCounted);
			this.inFlight.set(send, { added, numbered });
			for (const entry of entriesOf(send)) this.row.inFlight.add(entry);
			return verdict;
		});
		const toRemove = reject(obsolete, (entry) => existing.has(entry));
		await this.row.remove(this.context, toRemove);
		return verdicts;
	}

	/**
	 * The existing entries of sends, and traces of other sends. n8n reports entries only while adding them,
	 * so new ones are removed. A kill in between leaves sends that look open, and the entry `name lookup`.
	 */
	private async lookUp(sends: Send[], traces: (send: Send) => string[]): Promise<Set<string>> {
		const ids = sends.flatMap((send) => send.ids);
		const entries = sends.flatMap((send) => [...entriesOf(send), ...traces(send)]);
		await this.row.acquire(ids);
		const lookedUp = this.row.turn(async () => {
			const all = [this.lookUpMarker, ...entries];
			const existing = await this.row.note(this.context, all);
			const added = reject(all, (entry) => existing.has(entry));
			await this.row.remove(this.context, added);
			return existing;
		});
		return await lookedUp.finally(() => this.row.release(ids));
	}

	/** Entry of an attempt killed during its lookup. */
	private get lookUpMarker(): string {
		return `${this.memory.saved.name} lookup`;
	}

	/** Entry of the first overrun attempt that the memory lacks. */
	private get overrunMarker(): string {
		const { name, overruns } = this.memory.saved;
		return `${name} overrun ${overruns.length + 1}`;
	}

	/** @param traces entries that show a send that is not in the list */
	private verdictIn(existing: Set<string>, send: Send, traces: string[] = []): Verdict {
		const [id = '', key = ''] = send.ids;
		const isClosed = (one: string) => existing.has(one) && !existing.has(openEntry(one));
		if (isClosed(id)) return 'accepted';
		if (isClosed(key)) return 'keyUsed';
		if (!existing.has(id) && !existing.has(key)) {
			if (!traces.some((trace) => existing.has(trace))) return 'new';
			// Nothing shows who got a changed chunk, so it is not sent again.
			return this.resendUnknown && !send.to.includes(campaign) ? 'resend' : 'unclear';
		}
		if (existing.has(this.lookUpMarker)) return 'unclear';
		if (this.resendUnknown) return 'resend';
		return existing.has(id) ? 'unknown' : 'unclear';
	}

	/** Recipients' number entries: current count plus `offset`. */
	private numbersOf(to: string[], offset = 0): string[] {
		return to.map((one) => {
			const scope = isKey(one) ? one : `${this.memory.saved.name} to ${one}`;
			return `${scope} number ${(this.counts[one] ?? 0) + offset}`;
		});
	}

	/** Uncounts a send; returns its recipients' highest numbers, to remove. */
	private uncount(to: string[]): string[] {
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
		const entriesAtEnd = ofExecution.get(saved) ?? new Set<string>();
		for (const entry of entries) if (!/^(open )?key /.test(entry)) entriesAtEnd.add(entry);
		if (ofExecution.has(saved)) return;
		ofExecution.set(saved, entriesAtEnd);
		context.onExecutionFinish?.(() => {
			// Failed or stopped executions can be retried. n8n's types lack `runExecutionData`.
			const run = get(context, 'runExecutionData.resultData') as IDataObject | undefined;
			const isOver = run && run.error === undefined && context.getMode() !== 'retry';
			if (isOver && !context.getExecutionCancelSignal()?.aborted) void this.forget();
		});
	}
}

const openEntry = (id: string): string => `open ${id}`;
const entriesOf = ({ ids }: Send): string[] => ids.flatMap((id) => [id, openEntry(id)]);

/** The recipients that a found send has numbers for. */
const numberedIn = (existing: Set<string>, { ids: [id = '', key = ''], to }: Send): string[] =>
	to.filter((one) => existing.has(isKey(one) ? key : id));

/** The entries of executions that are under way. */
const ofExecution = new WeakMap<object, Set<string>>();
