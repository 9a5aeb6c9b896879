import type { IExecuteFunctions } from 'n8n-workflow';
import { chunk, difference, sum, uniqBy } from 'lodash';
import { Failure, failureOr } from '../api/failure';
import { lineageOf } from './identity';
import type { Results } from './results';
import {
	knownIn,
	maxEntries,
	open,
	stateOf,
	withOpen,
	type Known,
	type NodeState,
	type Row,
} from './store';
import type { WholeList } from './wholeList';

/** A send as other tries know it (README.md in this folder). */
export interface Send {
	/** What it is the same by: its input, and last what is sent. None for an item that cannot be read. */
	ids: string[];
	/** Noted where several sends have the same input. */
	several?: string;
	isSeveral?: boolean;
	/** Whom it reaches; absent where it is known by its place in a list or as a chunk. */
	to?: string;
	/** By which it is known that something went out for an item that cannot be read any more. */
	from?: string;
	/** By which other executions know it. */
	key?: string;
	/** Its place in a list that is known as a whole. */
	place?: number;
	/** Whether it may have gone out before, and is sent again. */
	isAgain?: boolean;
}

/** What became of a send: it was accepted, it may have been, or it certainly was not. */
export type Fate = 'accepted' | 'unknown' | 'free';

/** Keys that are noted at once. */
const mostAdopted = 500;

/** Entries of an execution after which its marks are noted anew, before n8n drops them. */
const renewedAfter = 0.4 * maxEntries;

export interface LogParts {
	context: IExecuteFunctions;
	state: NodeState;
	results: Results;
	/** What is the same in all tries of the execution, and in no other. */
	name: string;
	/** What was noted of the execution as a whole. */
	marks: string[];
	/** Whether an earlier try may have noted what this execution does not remember. */
	isRetry: boolean;
	/** Whether n8n has begun anew since the first try: the list may be another one. */
	isChanged: boolean;
	/** Whether what may have been sent is sent again. */
	isResent: boolean;
	/** Noted with the first send: whether it was one of a list that is known as a whole. */
	kind: string;
	/** Whether then some of it was known as lists and some by its sends: neither tells of the other. */
	isMixed: boolean;
	/** Whether then more was sent than n8n keeps entries of. */
	isForgetful: boolean;
	/** Sends that may be open at once: what a kill leaves in doubt. */
	mostOpen: number;
}

/** What this process knows of a try of an execution. */
interface Try {
	/** What stands in the log for it, all tries and rounds included. */
	noted: Set<string>;
	/** What is noted of it as a whole, and how many entries there were then. */
	marks: Set<string>;
	markedAt: number;
	/** How many to somebody the items of each round account for that are in doubt. */
	inDoubt: Map<number, Record<string, number>>;
}

/** By what n8n keeps of the execution. */
const tries = new WeakMap<object, Try>();

/** What was noted of a send that has begun. */
interface Begun {
	/** What was not there before. */
	added: string[];
	/** What every write repeats until it has ended. */
	repeated: string[];
}

/**
 * The write-ahead log of a run's sends in n8n's database (docs/contract.md, sections 4.3 and 4.5):
 * what may go out is noted before, as open; once it has ended, what is not true is struck.
 */
export class SendLog {
	/** Sends that are noted and have not ended. */
	private readonly begun = new Map<Send, Begun>();

	private readonly current: Try;

	/** The list, if its sends are known by their places. */
	list: WholeList | undefined;

	constructor(readonly parts: LogParts) {
		const { saved } = parts.results;
		const begun = { noted: new Set<string>(), marks: new Set<string>(), markedAt: 0 };
		this.current = tries.get(saved) ?? { ...begun, inDoubt: new Map() };
		tries.set(saved, this.current);
		const { noted, marks } = this.current;
		for (const mark of parts.marks) [noted, marks].forEach((all) => all.add(mark));
	}

	/** Notes the marks anew where they might be among the oldest entries, which n8n drops; throws Failure. */
	async renew(): Promise<void> {
		const { marks, noted, markedAt } = this.current;
		if (noted.size < markedAt + renewedAfter) return;
		const { name } = this.parts;
		if (markedAt > 0) marks.add(forgetful(name));
		const again = [begunAgain(name)];
		await this.turn(async (row) => {
			await row.note(again);
			await row.strike([...marks]);
			await row.note([...marks]);
			await row.strike(again);
		});
		this.current.markedAt = noted.size;
	}

	/**
	 * What earlier tries have noted of sends. Only all of them together tell whether something went to
	 * somebody that no item of the list accounts for: they are asked for before the first one begins.
	 *
	 * @throws Failure when n8n's database refuses
	 */
	async find(sends: Send[]): Promise<Known[]> {
		const { results, mostOpen, state, name, isChanged, isResent } = this.parts;
		const { holds } = state;
		const all: Known[] = [];
		const asking = `${name} asking`;
		const inDoubt: Record<string, number> = {};
		this.current.inDoubt.set(results.round.number, inDoubt);
		for (const some of chunk(sends, mostOpen)) {
			const asked = some.flatMap(({ ids, from, several }) => [
				...withOpen(ids),
				...listed(from),
				...(isChanged ? listed(several) : []),
			]);
			const held = some.flatMap(({ ids }) => ids);
			// An execution that was stopped may still wait for answers.
			await holds.take(held, () => {});
			const before = await this.ask([asking, ...asked]).finally(() => holds.release(held));
			for (const send of some) {
				const { from, to, several = '' } = send;
				if (isChanged && (send.isSeveral || before.has(several))) send.ids = send.ids.slice(-1);
				// Of an item that cannot be read any more it is known only that something went out.
				const unread = from !== undefined && before.has(from) ? 'unknown' : 'new';
				const known = send.ids.length > 0 ? knownIn(before, send.ids) : unread;
				// What is open after a question that was cut short may be no more than that: it accounts for nothing.
				const isBegun = known === 'unknown' && !isResent && !before.has(asking);
				send.isAgain = known === 'unknown' && isResent;
				if (to !== undefined && known === 'accepted') results.count(to, 1);
				if (to !== undefined && isBegun) inDoubt[to] = (inDoubt[to] ?? 0) + 1;
				all.push(known);
			}
		}
		return all;
	}

	/** Which entries are noted. Throws Failure. */
	private async ask(entries: string[]): Promise<Set<string>> {
		return await this.turn(async (row) => {
			const before = await row.note(entries);
			await row.strike(entries.filter((entry) => !before.has(entry)));
			return before;
		});
	}

	/** Notes the keys of sends whose fate is known without them: it holds for their keys, too. Throws Failure. */
	async adopt(sends: Array<{ key: string; known: Known }>): Promise<void> {
		for (const some of chunk(sends, mostAdopted)) {
			const entries = some.flatMap(({ key, known }) => keyEntries(key, known));
			await this.turn(async (row) => await row.note(entries));
		}
	}

	/**
	 * Notes the sends that go out next, and tells which must not. Until these have ended, no other run
	 * of this process begins them.
	 *
	 * @param hurry called when another run waits for one of them
	 * @throws Failure `notSent` when n8n's database refuses: none of them has begun
	 */
	async begin(sends: Send[], hurry: () => void): Promise<Known[]> {
		const { holds } = this.parts.state;
		const known = new Map(sends.map((send): [Send, Known] => [send, 'new']));
		const left = () => sends.filter((send) => known.get(send) === 'new');
		await holds.take(sends.flatMap(idsOf), hurry);
		try {
			await this.turn(async (row) => {
				await this.list?.find(row, left(), known);
				await this.note(row, left(), known);
				await this.list?.end(
					row,
					sends.map((send) => [send, known.get(send)]),
				);
			});
		} finally {
			holds.release(sends.filter((send) => !this.begun.has(send)).flatMap(idsOf));
		}
		return sends.map((send) => known.get(send) ?? 'new');
	}

	/** Says what became of sends that have begun; never throws. */
	async settle(ended: Array<[Send, Fate]>): Promise<void> {
		const { store, holds } = this.parts.state;
		const all = ended.filter(([send]) => this.begun.has(send));
		if (all.length === 0) return;
		const repeated = all.flatMap(([send]) => this.begun.get(send)?.repeated ?? []);
		const useless = all.flatMap(([send, fate]) => this.uselessOf(send, fate));
		for (const [send] of all) this.begun.delete(send);
		await this.turn(async (row) => {
			await row.strike(useless);
			await this.list?.end(row, all);
		}).catch(() => {});
		store.release(repeated);
		holds.release(all.flatMap(([send]) => idsOf(send)));
	}

	/** Ends all sends that have begun and did not go out; never throws. */
	async close(): Promise<void> {
		await this.settle([...this.begun.keys()].map((send) => [send, 'free']));
	}

	/** Forgets what nobody can ask for any more; keys stay. */
	forget(): void {
		const { name, state } = this.parts;
		state.store.forget([...this.current.noted].filter((entry) => isOf(name, entry)));
	}

	private async note(row: Row, sends: Send[], known: Map<Send, Known>): Promise<void> {
		const { isResent, state, kind } = this.parts;
		const { store } = state;
		const { marks } = this.current;
		const numbers = new Map<Send, string>();
		const all = (send: Send) => [...listed(numbers.get(send)), ...entriesOf(send)];
		const numbered = await failureOr(this.number(row, sends, numbers));
		const going = sends.filter((send) => send.to === undefined || numbers.has(send));
		const entries = going.flatMap(all);
		const before =
			numbered instanceof Failure || entries.length === 0
				? (numbered ?? new Set<string>())
				: await failureOr(row.note(marks.has(kind) ? entries : [kind, ...entries], entries));
		if (before instanceof Failure) {
			// Nobody else has these numbers, or they would have been taken.
			store.discard([...numbers.keys()].flatMap((send) => this.giveBack(send)));
			throw before;
		}
		if (entries.length > 0) marks.add(kind);
		for (const send of difference(sends, going)) known.set(send, 'unclear');
		const useless: string[] = [];
		for (const send of going) {
			const { ids, key } = send;
			const byIds = knownIn(before, ids);
			const fate = byIds === 'new' ? knownIn(before, listed(key)) : byIds;
			const added = entriesOf(send).filter((entry) => !before.has(entry));
			if (fate === 'new' || (fate === 'unknown' && isResent)) {
				send.isAgain = fate !== 'new';
				this.begun.set(send, { added, repeated: all(send) });
				continue;
			}
			known.set(send, fate);
			// What its ids say holds for its key from now on.
			const kept = key === undefined ? [] : keyEntries(key, byIds);
			useless.push(...difference(added, kept), ...this.giveBack(send));
			store.release(all(send));
		}
		await row.strike(useless);
	}

	/**
	 * Gives each send its number among those to the same person. After n8n has begun anew, a number that
	 * is taken stands for a send that no item of the list accounts for, and this may be it: it gets none.
	 * In the list that there always was, it is another item's.
	 */
	private async number(row: Row, sends: Send[], numbers: Map<Send, string>): Promise<void> {
		const { results, isRetry, isChanged, isResent } = this.parts;
		let left = sends.filter(hasRecipient);
		while (left.length > 0) {
			const some = isRetry ? uniqBy(left, 'to') : left;
			left = isRetry ? difference(left, some) : [];
			const asked = some.map(({ to }) => this.numberOf(to, 1));
			const taken = isRetry ? await failureOr(row.note(asked)) : new Set<string>();
			if (taken instanceof Failure) {
				for (const { to } of some) results.count(to, -1);
				throw taken;
			}
			for (const [index, send] of some.entries()) {
				const number = asked[index] ?? '';
				if (!taken.has(number)) numbers.set(send, number);
				else if (isChanged && !isResent) results.count(send.to, -1);
				else left.push(send);
			}
		}
	}

	private uselessOf(send: Send, fate: Fate): string[] {
		if (fate === 'unknown') return [];
		if (fate === 'free') return [...(this.begun.get(send)?.added ?? []), ...this.giveBack(send)];
		return idsOf(send).map(open);
	}

	/** The numbers of those who are reached have no gaps: of one that did not go out the last is free. */
	private giveBack({ to }: Send): string[] {
		if (to === undefined) return [];
		const last = this.numberOf(to, 0);
		this.parts.results.count(to, -1);
		return [last];
	}

	/** The last number of somebody, once so many more are known. */
	private numberOf(to: string, more: number): string {
		const inDoubt = [...this.current.inDoubt.values()].map((round) => round[to] ?? 0);
		return `${this.parts.name} to ${to} ${this.parts.results.count(to, more) + sum(inDoubt)}`;
	}

	/** Does several steps of which no other run sees a part, and keeps in mind what is noted; throws Failure. */
	async turn<T>(work: (row: Row) => Promise<T>): Promise<T> {
		const { state, context } = this.parts;
		const { noted } = this.current;
		return await state.store.turn(context, async (row) => {
			return await work({
				note: async (entries, repeated) => {
					for (const entry of entries) noted.add(entry);
					return await row.note(entries, repeated);
				},
				strike: async (entries) => {
					for (const entry of entries) noted.delete(entry);
					await row.strike(entries);
				},
			});
		});
	}
}

/** Whether an entry is of this execution alone; those of keys hold for others, too. */
const isOf = (name: string, entry: string): boolean =>
	[name, open(name)].some((start) => entry.startsWith(`${start} `));

const listed = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

const hasRecipient = (send: Send): send is Send & { to: string } => send.to !== undefined;

/** By what it can be found again. */
const idsOf = ({ ids, key }: Send): string[] => [...ids, ...listed(key)];

/** All that is noted of a send as it begins, but for its number. */
const entriesOf = (send: Send): string[] => [
	...withOpen(idsOf(send)),
	...listed(send.from),
	...(send.isSeveral ? listed(send.several) : []),
];

/** What says of a key that a send with it is known. */
function keyEntries(key: string, known: Known): string[] {
	if (known === 'new') return [];
	return known === 'accepted' ? [key] : withOpen([key]);
}

/**
 * Finds out which try of which execution this is, and opens its log.
 *
 * All tries share the moment in which the first one began. Two executions may share it, too: each has a
 * slot of it, which it remembers. Where a crash took that along, it was the first, unless there is a
 * second.
 *
 * @param isWhole whether the run's list is known as a whole, not each send of it
 * @returns undefined in a workflow that was never saved, for which n8n keeps nothing
 * @throws Failure when n8n's database refuses, or when nobody can tell which execution this is
 */
export async function openLog(
	{ context, mostOpen, isResent }: Pick<LogParts, 'context' | 'mostOpen' | 'isResent'>,
	results: Results,
	isWhole: boolean,
): Promise<SendLog | undefined> {
	const state = stateOf(context);
	if (!state) return undefined;
	const { saved } = results;
	const lineage = lineageOf(context);
	const isContinued = saved.slot !== undefined;
	const isRetry = context.getMode() === 'retry';
	const [kind, otherKind] = isWhole ? ['lists', 'sends'] : ['sends', 'lists'];
	const parts = { context, state, results, mostOpen, isResent };
	const log = await state.store.turn(context, async (row) => {
		for (let slot = saved.slot ?? 1; ; slot++) {
			const name = `${lineage} ${slot}`;
			const begun = `${name} begun`;
			const own = `${begun} ${context.getExecutionId()}`;
			const marks = [begun, own];
			// In the try that has noted it, nothing is to be asked.
			const isNoted = isContinued && !isRetry;
			const before = isNoted ? new Set<string>() : await row.note(marks);
			const hasBegun = before.has(begun) || (isRetry && (await areThere(row, [begunAgain(name)])));
			const hasNotes = hasBegun && (isRetry || !isContinued);
			if (hasNotes && !isRetry && !before.has(own)) {
				await row.strike(marks.filter((mark) => !before.has(mark)));
				await row.note(seconds(lineage));
				continue;
			}
			if (hasNotes && !isContinued && (await areThere(row, seconds(lineage)))) throw ambiguous();
			const isAnew = hasNotes && !results.isResumed;
			saved.slot = slot;
			const changed = `${name} changed`;
			if (isAnew) await row.note([changed]);
			const isChanged = isAnew || (hasNotes && (await areThere(row, [changed])));
			const isMixed = isChanged && (await areThere(row, [`${name} ${otherKind}`]));
			const isForgetful =
				isChanged && (!before.has(begun) || (await areThere(row, [forgetful(name)])));
			return new SendLog({
				...parts,
				name,
				marks: isChanged ? [...marks, changed] : marks,
				kind: `${name} ${kind}`,
				isRetry: hasNotes,
				isChanged,
				isMixed,
				isForgetful,
			});
		}
	});
	await log.renew();
	return log;
}

/** Says that something was noted of an execution, while its marks are noted anew. */
const begunAgain = (name: string): string => `${name} begun again`;

/** Says that n8n may have dropped entries of an execution. */
const forgetful = (name: string): string => `${name} forgetful`;

/** Says that a moment has a second execution: twice, because a question that is cut short says it once. */
const seconds = (lineage: string): string[] => [`${lineage} second`, `${lineage} second indeed`];

/** Whether all entries are noted, asked one after the other. */
async function areThere(row: Row, entries: string[]): Promise<boolean> {
	for (const entry of entries) {
		const before = await row.note([entry]);
		if (before.has(entry)) continue;
		await row.strike([entry]);
		return false;
	}
	return true;
}

const ambiguous = (): Failure =>
	new Failure('Two executions of this node began in the same moment, and one of them was cut off', {
		outcome: 'unknown',
		description:
			'Which of them this is cannot be told, so nothing was sent. Look up what was sent, then run the workflow again for the rest.',
	});
