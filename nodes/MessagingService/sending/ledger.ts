import { chunk, compact, difference, reject, sum, sumBy } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import { isUnsent, type Failure, type Outcome } from '../api/failure';
import type { Send } from '../job';
import { onSuccess } from '../n8n';
import { campaignRecipient, isKey } from './identity';
import type { Memory } from './memory';
import type { Row } from './row';

/** What the ledger shows of a send before it goes out; a send without it is new. */
export interface Earlier {
	outcome: 'accepted' | 'unknown';
	/** Whether it is this send; otherwise, maybe another one to the recipient or with the key. */
	isOwn: boolean;
	/** Whether only its counters exist, e.g. because a retry cut its campaign differently. */
	isTraced?: boolean;
	/** Whether it is sent again (Try Again If Uncertain). */
	isResent: boolean;
}

/** Whether another send, not this one, may have reached the recipient. */
export const isUnclear = (earlier?: Earlier): boolean =>
	earlier?.outcome === 'unknown' && !earlier.isOwn && !earlier.isResent;

/** Maximum recipients noted per execution: n8n keeps 50,000 entries per node and rewrites them all. */
const maxCounted = 15_000;

/**
 * The ledger of a run in n8n's database, written ahead of each send (docs/contract.md, sections 4.3 and
 * 4.5). README.md beside this file shows what it writes in the life of a send.
 */
export class Ledger {
	/** Sends counted per recipient in this execution, and their sum. */
	private readonly counts: Record<string, number>;
	private total: number;

	/** Sends that have begun, with the entries added and recipients counted for each. */
	private readonly begun = new Map<Send, { added: string[]; toUncountIfUnsent: string[] }>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly row: Row,
		private readonly memory: Memory,
		private readonly resendUnknown: boolean,
	) {
		this.counts = memory.totalsNow().sendCounts;
		this.total = sum(Object.values(this.counts));
	}

	/** Looks up what earlier attempts noted of these sends; the memory already counts `remembered`. Throws Failure. */
	async find(sends: Send[], remembered: Set<Send>, atOnce: number) {
		const found = new Map<Send, Earlier | undefined>();
		for (const group of chunk(sends, atOnce)) {
			const existing = await this.lookUp(group, () => []);
			for (const send of group) {
				const earlier = this.earlierIn(existing, send);
				found.set(send, earlier);
				if (!isUnclear(earlier) && !remembered.has(send)) this.count(countedIn(existing, send), 1);
			}
		}
		const traces = (send: Send) => [this.overrunMarker, ...this.numbersOf(send.countedFor, 1)];
		const notFound = sends.filter((send) => !found.get(send));
		for (const group of chunk(notFound, atOnce)) {
			const existing = await this.lookUp(group, traces);
			for (const send of group) found.set(send, this.earlierIn(existing, send, traces(send)));
		}
		return found;
	}

	/** Notes the next sends and returns what is known of each; if it throws a Failure, none may go out. */
	async begin(sends: Send[]): Promise<Array<Earlier | undefined>> {
		const size = sumBy(sends, ({ countedFor }) => countedFor.length);
		const isOverrun = this.total + size > maxCounted;
		// Beyond the limit, only keys are noted, and one overrun entry.
		if (isOverrun) for (const send of sends) Object.assign(send, { id: undefined, countedFor: [] });
		await this.row.acquire(sends.flatMap(idsOf));
		try {
			return await this.row.turn(async () => await this.note(sends, isOverrun));
		} finally {
			const notStarted = sends.filter((send) => !this.begun.has(send));
			this.row.release(notStarted.flatMap(idsOf));
		}
	}

	/** Removes the obsolete entries of ended sends; never throws. */
	async settle(ended: Array<[Send | undefined, Outcome]>): Promise<void> {
		const obsolete: string[] = [];
		const ids: string[] = [];
		for (const [send, outcome] of ended) {
			const change = send && this.begun.get(send);
			if (!send || !change) continue;
			this.begun.delete(send);
			for (const entry of entriesOf(send)) this.row.kept.delete(entry);
			if (outcome === 'accepted') obsolete.push(...idsOf(send).map(openEntry));
			if (isUnsent(outcome))
				obsolete.push(...this.uncount(change.toUncountIfUnsent), ...change.added);
			ids.push(...idsOf(send));
		}
		await this.remove(obsolete);
		this.row.release(ids);
	}

	/** Notes the keys of sends that already have a result: a retry may have other keys. Throws Failure. */
	async noteKeys(decided: Array<[Send, Outcome]>): Promise<void> {
		const keyed = decided
			.filter(([{ keyId }]) => keyId !== undefined)
			.map(([{ countedFor, ...send }, outcome]): [Send, Outcome] => [
				{ ...send, id: undefined, countedFor: countedFor.filter(isKey) },
				outcome,
			]);
		if (keyed.length === 0) return;
		await this.begin(keyed.map(([send]) => send));
		await this.settle(keyed);
	}

	/** Removes the entries of the execution, except keys. */
	async forget(): Promise<void> {
		const { saved } = this.memory;
		await this.remove([...(entriesByExecution.get(saved) ?? [])]);
		entriesByExecution.delete(saved);
	}

	private async note(sends: Send[], isOverrun: boolean): Promise<Array<Earlier | undefined>> {
		const { saved } = this.memory;
		const needsMarker = isOverrun && !saved.overruns.includes(saved.executionId);
		const counters = sends.map((send) => {
			this.count(send.countedFor, 1);
			return this.numbersOf(send.countedFor);
		});
		const all = [...counters.flat(), ...sends.flatMap(entriesOf)];
		if (needsMarker) all.push(this.overrunMarker);
		this.removeAtEnd(all);
		const existing = await this.row.note(this.context, all).catch((failure: Failure) => {
			for (const send of sends) this.count(send.countedFor, -1);
			throw failure;
		});
		if (needsMarker) saved.overruns.push(saved.executionId);
		const obsolete: string[] = [];
		const known = sends.map((send, n) => {
			// A complete memory already shows all sends of this execution. Other executions share only keys.
			const isRelevant = !this.memory.isComplete || send.keyId !== undefined;
			const earlier = isRelevant ? this.earlierIn(existing, send, counters[n]) : undefined;
			const added = reject(entriesOf(send), (entry) => existing.has(entry));
			const goesOut = !earlier || earlier.isResent;
			// An earlier attempt has counted the sends that it noted. A send that does not go out must not count.
			const toUncount = goesOut ? countedIn(existing, send) : send.countedFor;
			obsolete.push(...this.uncount(toUncount), ...(goesOut ? [] : added));
			if (!goesOut) return earlier;
			const toUncountIfUnsent = earlier ? [] : difference(send.countedFor, toUncount);
			this.begun.set(send, { added, toUncountIfUnsent });
			for (const entry of entriesOf(send)) this.row.kept.add(entry);
			return earlier;
		});
		const toRemove = reject(obsolete, (entry) => existing.has(entry));
		await this.row.remove(this.context, toRemove);
		return known;
	}

	/**
	 * Which entries and `traces` of these sends exist. n8n shows this only when entries are added, so those that did
	 * not exist are removed again. After a kill in between, the sends look open, and `lookUpMarker` still exists.
	 */
	private async lookUp(sends: Send[], traces: (send: Send) => string[]): Promise<Set<string>> {
		const ids = sends.flatMap(idsOf);
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

	/** Exists during a lookup. If it already exists, an earlier attempt was killed during its lookup. */
	private get lookUpMarker(): string {
		return `${this.memory.saved.name} lookup`;
	}

	/** The next overrun entry. If it exists, an earlier attempt exceeded the limit, and its memory is lost. */
	private get overrunMarker(): string {
		const { name, overruns } = this.memory.saved;
		return `${name} overrun ${overruns.length + 1}`;
	}

	/** @param traces entries whose existence shows that there were more sends than those found */
	private earlierIn(existing: Set<string>, send: Send, traces: string[] = []): Earlier | undefined {
		const { id, keyId } = send;
		const exists = (entry?: string) => entry !== undefined && existing.has(entry);
		const isClosed = (one?: string) => exists(one) && !existing.has(openEntry(String(one)));
		if (isClosed(id) || isClosed(keyId))
			return { outcome: 'accepted', isOwn: isClosed(id), isResent: false };
		const isNoted = exists(id) || exists(keyId);
		if (!isNoted && !traces.some(exists)) return undefined;
		const wasLookedUp = existing.has(this.lookUpMarker);
		// In a retry, the recipients of a chunk may have been in other chunks before.
		const isChunk = send.countedFor.includes(campaignRecipient);
		const isResent = this.resendUnknown && (isNoted ? !wasLookedUp : !isChunk);
		const isOwn = exists(id) && !wasLookedUp;
		return { outcome: 'unknown', isOwn, isTraced: !isNoted, isResent };
	}

	/** One entry per counter, ending in its current count plus `offset`. */
	private numbersOf(countedFor: string[], offset = 0): string[] {
		return countedFor.map((one) => {
			const scope = isKey(one) ? one : `${this.memory.saved.name} to ${one}`;
			return `${scope} number ${(this.counts[one] ?? 0) + offset}`;
		});
	}

	/** Takes back the last count of each. Returns the entries that show it, for the caller to remove. */
	private uncount(countedFor: string[]): string[] {
		const last = this.numbersOf(countedFor);
		this.count(countedFor, -1);
		return last;
	}

	private count(countedFor: string[], change: number): void {
		for (const one of countedFor) this.counts[one] = (this.counts[one] ?? 0) + change;
		this.total += change * countedFor.length;
	}

	private async remove(entries: string[]): Promise<void> {
		await this.row.turn(async () => await this.row.remove(this.context, entries));
	}

	/** Collects entries, except keys, to remove once the execution succeeds. */
	private removeAtEnd(entries: string[]): void {
		const { context, memory } = this;
		const { saved } = memory;
		const entriesToRemove = entriesByExecution.get(saved) ?? new Set<string>();
		for (const entry of entries) if (!/^(open )?key /.test(entry)) entriesToRemove.add(entry);
		if (entriesByExecution.has(saved)) return;
		entriesByExecution.set(saved, entriesToRemove);
		onSuccess(context, () => void this.forget());
	}
}

const openEntry = (id: string): string => `open ${id}`;
const idsOf = ({ id, keyId }: Send): string[] => compact([id, keyId]);
const entriesOf = (send: Send): string[] => idsOf(send).flatMap((id) => [id, openEntry(id)]);

/** The recipients and keys for which a send is counted already. */
function countedIn(existing: Set<string>, { id = '', keyId = '', countedFor }: Send) {
	return countedFor.filter((one) => existing.has(isKey(one) ? keyId : id));
}

/** The entries of executions that are under way. */
const entriesByExecution = new WeakMap<object, Set<string>>();
