import { chunk, compact, difference, range, uniqBy } from 'lodash';
import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { Failure, failureOr } from '../api/failure';
import { failureOf, isInDoubt, type Job, type Send } from '../job';
import { lineageOf } from './identity';
import type { Results } from './results';

/**
 * What the log knows of a send: `again` of one in doubt that is sent again, and of one that is `unclear`
 * only that something went to its recipient.
 */
export type Known = 'new' | 'again' | 'accepted' | 'unknown' | 'unclear';

/** What became of a send: it was accepted, it may have been, or it certainly was not. */
export type Fate = 'accepted' | 'unknown' | 'free';

/** What is known of the earlier tries of an execution. */
export interface Tries {
	/** What is the same in all tries of the execution, and in no other. */
	name: string;
	/** What is the same in others that began in the same moment, too, or were called by the same one. */
	moment: string;
	/** Whether earlier ones may have noted what this one does not remember. */
	isRetry: boolean;
	/** Whether n8n has begun anew since the first one: the list may be another one. */
	isChanged: boolean;
	/** What is noted of tries with a list that may have been another one (`marksOf`). */
	marks: Set<string>;
	/** What stands in the log for this execution, all rounds included. */
	noted: Set<string>;
}

/** Of each send its number among those to each of its recipients. */
type Numbers = Map<Send, Map<string, string>>;

/** By what n8n keeps of the execution: all rounds of a process are one try. */
const tries = new WeakMap<object, Promise<Tries>>();

/** Entries of a node's row; n8n drops the oldest beyond. */
const maxEntries = 50_000;

/** Sends that are asked for at once where there may be no time left. */
const mostAsked = 25;

/** Entries of an execution that n8n keeps for sure, beside the keys of others. */
const mostKept = 0.8 * maxEntries;

/**
 * The write-ahead log of a run's sends in n8n's database (docs/contract.md, sections 4.3 and 4.5):
 * what may go out is noted before, as open; once it has ended, what is not true is struck.
 */
export class SendLog {
	/** What was noted of the sends that have begun and not ended. */
	private readonly begun = new Map<Send, { all: string[]; added: string[] }>();

	/** @param mostOpen sends that are asked for at once: what a kill leaves in doubt then */
	constructor(
		readonly tries: Tries,
		private readonly context: IExecuteFunctions,
		private readonly state: NodeState,
		private readonly results: Results,
		private readonly isResent: boolean,
		private readonly mostOpen: number,
	) {}

	/**
	 * What earlier tries have noted of sends. Only all of them together tell whether something went to
	 * somebody that no item accounts for: they are asked for before the first one begins. Throws Failure.
	 */
	async find(sends: Send[]): Promise<Known[]> {
		const { results, isResent, tries } = this;
		const all: Known[] = [];
		// Counted once all are asked: another try asks for all of them again.
		const [reached, doubts]: [string[], string[]] = [[], []];
		for (const some of chunk(sends, this.mostOpen)) {
			const ids = some.flatMap(idsOf);
			const inputs = tries.isChanged ? some.flatMap((send) => send.several ?? []) : [];
			// An execution that was stopped may still wait for answers.
			await this.state.holds.take(ids);
			const before = await this.turn(async (row) => await this.ask(row, ids, inputs)).finally(() =>
				this.state.holds.release(ids),
			);
			for (const send of some) {
				const { each = [], several = '' } = send;
				const [, ...others] = send.ids;
				const isSeveral = send.isSeveral || before.has(several);
				if (tries.isChanged && isSeveral && others.length > 0) send.ids = others;
				const known = knownIn(before, send.ids);
				all.push(known);
				// Its key alone tells of it as it begins, whoever has sent that: it accounts for nothing.
				const ofKey = knownIn(before, compact([send.key]));
				const isTold = ofKey === 'accepted' || (ofKey === 'unknown' && !isResent);
				if (known === 'new' && isTold && send.each) Object.assign(send, { ids: [], each: [] });
				if (known === 'accepted') reached.push(...each);
				// What is open after a question that was cut short may be no more than that: it accounts for nothing.
				if (known === 'unknown' && !isResent && !before.has(asking(this.tries)))
					doubts.push(...each);
			}
		}
		for (const one of reached) results.count(one, 1);
		results.countDoubts(doubts);
		return all;
	}

	/**
	 * Which jobs without a result may be what went to one of their recipients before, for no item
	 * accounts for that, or have a key that is known. Throws Failure.
	 */
	async unclear(jobs: Job[]): Promise<Set<Job>> {
		const all = new Set<Job>();
		const keyOf = ({ send }: Job) => compact([send?.key]);
		const numbersOf = ({ send }: Job) => send?.each?.map((to) => this.nextOf(to)) ?? [];
		const textsOf = (job: Job) => [...keyOf(job), ...numbersOf(job)];
		const asked = jobs.filter((job) => !job.result && textsOf(job).length > 0);
		for (const some of chunk(asked, Math.max(mostAsked, this.mostOpen))) {
			const [keys, numbers] = [some.flatMap(keyOf), some.flatMap(numbersOf)];
			const before = await this.turn(async (row) => await this.ask(row, keys, numbers));
			for (const job of some) if (textsOf(job).some((one) => before.has(one))) all.add(job);
		}
		return all;
	}

	/** Notes the keys of jobs whose fate is known without them: it holds for other executions, too. Throws Failure. */
	async adopt(jobs: Job[]): Promise<void> {
		const entries = jobs.flatMap((job) => {
			if (isInDoubt(job)) return keyEntries(job.send?.key, 'unknown');
			return job.result && !failureOf(job) ? keyEntries(job.send?.key, 'accepted') : [];
		});
		if (entries.length > 0) await this.turn(async (row) => await row.note(entries));
	}

	/**
	 * Notes the jobs that go out next, and tells which must not. Until these have ended, no other run
	 * of this process begins them.
	 *
	 * @throws Failure `notSent` when n8n's database refuses: none of them has begun
	 */
	async begin(jobs: Job[]): Promise<Known[]> {
		const { holds, store } = this.state;
		const sends = jobs.flatMap(({ send }) => send ?? []);
		const numbers: Numbers = new Map(sends.map((send) => [send, new Map()]));
		await holds.take(sends.flatMap(idsOf));
		const noted = this.turn(async (row) => await this.note(row, numbers)).finally(() =>
			holds.release(sends.filter((send) => !this.begun.has(send)).flatMap(idsOf)),
		);
		const known = await failureOr(noted);
		if (!(known instanceof Failure)) return known;
		// Nobody else has these numbers, or they would have been taken.
		store.discard([...numbers.values()].flatMap((own) => this.giveBack(own.keys())));
		throw known;
	}

	/** Says what became of jobs that have begun, of a long list of all of them at once; never throws. */
	async settle(ended: Array<[Job, Fate]>): Promise<void> {
		const { store, holds } = this.state;
		const all = ended.flatMap(
			([{ send }, fate]): Array<[Send, Fate]> =>
				send && this.begun.has(send) ? [[send, fate]] : [],
		);
		if (all.length === 0) return;
		await this.turn(async (row) => await row.strike(await this.useless(row, all))).catch(() => {});
		for (const [send] of all) {
			store.release([...blockOf([send]), ...(this.begun.get(send)?.all ?? [])]);
			this.begun.delete(send);
			holds.release(idsOf(send));
		}
	}

	/** Forgets what nobody can ask for any more, once so many executions have ended; keys stay. */
	forget(executions = 0): void {
		const { name, moment, noted } = this.tries;
		const { store, others, ended } = this.state;
		if (noted.size === 0) return;
		const isOwn = (entry: string) =>
			[name, open(name)].some((one) => `${entry} `.startsWith(`${one} `));
		const own = [...noted].filter(isOwn);
		noted.clear();
		// It outlives the execution, of which it holds nothing else.
		ended.push(() => {
			store.forget(own);
			const left = (others.get(moment) ?? 0) - 1;
			others.set(moment, left);
			if (left > 0) return;
			others.delete(moment);
			store.forget([moment, ...twofold([severalOf(moment)])]);
		});
		while (ended.length > executions) ended.shift()?.();
	}

	private async note(row: Row, numbers: Numbers): Promise<Known[]> {
		const { isResent, state, results } = this;
		const { name, noted } = this.tries;
		const sends = [...numbers.keys()];
		const unclear = await this.number(row, numbers);
		const going = difference(sends, unclear);
		// Another retry may have sent it since it was asked for.
		const ids = unclear.flatMap((send) => send.ids);
		const since = unclear.length > 0 ? await this.ask(row, ids) : new Set<string>();
		const allOf = (send: Send) => [...(numbers.get(send)?.values() ?? []), ...this.entriesOf(send)];
		const block = blockOf(sends);
		const entries = [...block, ...going.flatMap(allOf)];
		// Noted anew with each write, for n8n drops the oldest.
		const marks = [
			sends[0]?.each === undefined ? 'lists' : 'sends',
			...(noted.size > mostKept ? ['forgetful'] : []),
			...(results.isElsewhere ? [] : [viaOf(results)]),
		];
		const asWhole = twofold(marks.map((mark) => `${name} ${mark}`));
		const before = await row.note([...asWhole, ...entries], entries);
		const useless: string[] = [];
		const known = sends.map((send): Known => {
			if (unclear.includes(send)) {
				useless.push(...this.giveBack(numbers.get(send)?.keys()));
				const other = knownIn(since, send.ids);
				return other === 'new' ? 'unclear' : other;
			}
			const { key, each } = send;
			const byIds = knownIn(before, send.ids);
			const own = byIds === 'new' ? knownIn(before, block.slice(0, 1)) : byIds;
			const fate = own === 'new' ? knownIn(before, compact([key])) : own;
			const all = allOf(send);
			// Its number may be another's by the time it ends: the last one is given back instead.
			const added = this.entriesOf(send).filter((entry) => !before.has(entry));
			if (fate === 'new' || (fate === 'unknown' && isResent)) {
				this.begun.set(send, { all, added });
				return fate === 'new' ? 'new' : 'again';
			}
			// What is known without it holds for its key from now on.
			useless.push(...difference(added, keyEntries(key, own)), ...this.giveBack(each));
			state.store.release(all);
			return fate;
		});
		if (!sends.some((send) => this.begun.has(send)))
			useless.push(...block.filter((entry) => !before.has(entry)));
		await row.strike(useless);
		return known;
	}

	/**
	 * Gives each send its number among those to the same person, and of an email to each of its
	 * addresses. After n8n has begun anew, a number that is taken stands for a send that no item of the
	 * list accounts for, and this may be it: it is unclear. Else it is another item's. Throws Failure.
	 */
	private async number(row: Row, numbers: Numbers): Promise<Send[]> {
		const { isRetry, isChanged } = this.tries;
		const unclear = new Set<Send>();
		let left = [...numbers].flatMap(([send, own]) =>
			(send.each ?? []).map((to) => ({ send, own, to })),
		);
		while (left.length > 0) {
			const some = uniqBy(left, 'to');
			left = difference(left, some);
			const asked = some.map(({ to }) => this.nextOf(to));
			const taken = isRetry ? await row.note(asked) : new Set<string>();
			for (const [index, one] of some.entries()) {
				const number = asked[index] ?? '';
				if (taken.has(number) && isChanged && !this.isResent) {
					unclear.add(one.send);
					continue;
				}
				this.results.count(one.to, 1);
				if (taken.has(number)) left.push(one);
				else one.own.set(one.to, number);
			}
		}
		return [...unclear];
	}

	/** The numbers of those who are reached have no gaps: of what did not go out the last is free. */
	private giveBack(all: Iterable<string> = []): string[] {
		return [...all].map((to) => {
			this.results.count(to, -1);
			return this.nextOf(to);
		});
	}

	/** The number of the next send to somebody. */
	private nextOf(to: string): string {
		return `${this.tries.name} to ${to} ${this.results.count(to, 0) + 1}`;
	}

	/** All that is noted of a send as it begins, but for its number. */
	private entriesOf({ ids, key, several, isSeveral, block }: Send): string[] {
		// In a first try a block stands for all of it from the beginning.
		const known = block === undefined || this.tries.isRetry ? ids : [];
		return compact([...withOpen(compact([...known, key])), isSeveral && several]);
	}

	/** What is not true of sends that have ended. Throws Failure. */
	private async useless(row: Row, ended: Array<[Send, Fate]>): Promise<string[]> {
		const block = blockOf(ended.map(([send]) => send));
		const useless = ended.flatMap(([send, fate]) => {
			if (fate === 'free')
				return [...(this.begun.get(send)?.added ?? []), ...this.giveBack(send.each)];
			return fate === 'accepted' ? idsOf(send).map(open) : [];
		});
		if (block.length === 0) return useless;
		if (ended.every(([, fate]) => fate === 'accepted'))
			return [...useless, ...block.slice(1), ...ended.flatMap(([{ ids }]) => ids)];
		// Where not all of a block was accepted, each of it is known by its place, as long as there is room.
		if (this.tries.noted.size > mostKept / 2) return useless;
		const reached = ended.filter(([, fate]) => fate !== 'free');
		const entriesOf = ([{ ids }, fate]: [Send, Fate]) =>
			fate === 'accepted' ? ids : withOpen(ids);
		await row.note(reached.flatMap(entriesOf));
		return [...useless, ...block];
	}

	/** Which ids are noted, and as open. Where a kill cuts this short, a note of it stays. Throws Failure. */
	private async ask(row: Row, ids: string[], others: string[] = []): Promise<Set<string>> {
		return await ask(row, [asking(this.tries), ...withOpen(ids), ...others]);
	}

	/** Does several steps of which no other run sees a part; throws Failure. */
	async turn<T>(work: (row: Row) => Promise<T>): Promise<T> {
		return await this.state.store.turn(this.context, this.tries.noted, work);
	}
}

/**
 * Finds out which try of which execution this is, and opens its log.
 *
 * All tries share the moment in which the first one began, or the execution that has called it. Other
 * executions may share it, too: then these have a name of their own, which they remember. Where a crash
 * took that along, nobody can tell.
 *
 * @returns undefined in a workflow that was never saved, for which n8n keeps nothing
 * @throws Failure when n8n's database refuses, or when nobody can tell which execution this is
 */
export async function openLog(
	context: IExecuteFunctions,
	results: Results,
	isResent: boolean,
	mostOpen: number,
): Promise<SendLog | undefined> {
	const state = stateOf(context);
	if (!state) return undefined;
	const { saved } = results;
	const found = tries.get(saved) ?? findTries(context, results, state);
	tries.set(saved, found);
	// What n8n's database has refused is asked again by the next try.
	found.catch(() => tries.delete(saved));
	const known = await found;
	results.isElsewhere ||= known.marks.has('elsewhere');
	return new SendLog(known, context, state, results, isResent, mostOpen);
}

async function findTries(
	context: IExecuteFunctions,
	results: Results,
	{ store, others }: NodeState,
): Promise<Tries> {
	const { saved } = results;
	const moment = `${lineageOf(context)} begun`;
	const own = `${moment} by ${saved.first}`;
	const noted = new Set<string>();
	return await store.turn(context, noted, async (row) => {
		const isContinued = saved.name !== undefined;
		const isKnownRetry = context.getMode() === 'retry';
		const first = isContinued || isKnownRetry ? new Set<string>() : await row.note([moment, own]);
		const isSecond = first.has(moment) && !first.has(own);
		if (isSecond) await row.note(twofold([severalOf(moment)]));
		// One that has failed before it noted anything knows its own id, and not which others there are.
		const isUnnamed = !isContinued && !saved.isAnew && saved.starts > 1;
		const name = (saved.name ??= isSecond || isUnnamed ? own : moment);
		// n8n may go on more than once from what it has kept of a wait or a failure, as after a kill behind a
		// wait: then more was sent since than this execution remembers, and than those that are retried from
		// one that went on before do. It may begin an execution anew, too, whose worker was lost and came back.
		const numbers = range((saved.notedStart ?? 1) + 1, saved.starts + 1);
		const starts = numbers.map((number) => `${name} start ${number}`);
		const forked = `${name} forked`;
		if (saved.starts > 1 && saved.notedStart !== saved.starts) {
			const isForked = (await marked(row, [...starts, forked])).size > 0;
			await row.note(twofold(isForked ? [forked] : starts));
			saved.isAnew ||= isForked;
			saved.notedStart = saved.starts;
		}
		saved.isAnew ||= first.has(own);
		others.set(moment, (others.get(moment) ?? 0) + 1);
		if (saved.isAnew && !isContinued && !isUnnamed) {
			await row.note([moment]);
			if ((await marked(row, [severalOf(moment)])).size > 0) {
				delete saved.name;
				throw ambiguous();
			}
		}
		return {
			name,
			moment,
			isRetry: isKnownRetry || saved.isAnew,
			isChanged: saved.isAnew,
			marks: saved.isAnew ? await marksOf(row, name, results) : new Set(),
			noted,
		};
	});
}

/**
 * What is noted of an execution as a whole: whether its sends are known each by whom it reaches or by its
 * place in a list, whether there were more of them than n8n keeps entries of, and whether they went
 * elsewhere, through another service than now.
 */
async function marksOf(row: Row, name: string, results: Results): Promise<Set<string>> {
	const via = viaOf(results);
	const asked = ['sends', 'lists', 'forgetful', via];
	const there = await marked(
		row,
		asked.map((mark) => `${name} ${mark}`),
	);
	const marks = new Set(asked.filter((mark) => there.has(`${name} ${mark}`)));
	const isElsewhere = results.service !== undefined && marks.size > 0 && !marks.has(via);
	return isElsewhere ? marks.add('elsewhere') : marks;
}

/** Says that several executions have this in common. */
const severalOf = (moment: string): string => `${moment} by several`;

/** Noted with each question. */
const asking = ({ name }: Tries): string => `${name} asking`;

const viaOf = ({ service }: Results): string => `via ${service}`;

/** Says of an id that it was noted and is not known to have ended. */
const open = (id: string): string => `open ${id}`;

const withOpen = (ids: string[]): string[] => [...ids, ...ids.map(open)];

/** What the entries that were there say of something that is noted by any of these ids. */
function knownIn(before: Set<string>, ids: string[]): Known {
	const there = ids.filter((id) => before.has(id));
	if (there.length === 0) return 'new';
	return there.some((id) => before.has(open(id))) ? 'unknown' : 'accepted';
}

/** The entries of the block that sends are of, if they are. */
const blockOf = ([first]: Send[]): string[] => withOpen(compact([first?.block]));

/** By what it can be found again. */
const idsOf = ({ ids, key }: Send): string[] => compact([...ids, key]);

/** What says of a key that a send with it is known. */
function keyEntries(key: string | undefined, known: Known): string[] {
	if (key === undefined || known === 'new') return [];
	return known === 'accepted' ? [key] : withOpen([key]);
}

const ambiguous = (): Failure =>
	new Failure(
		'Several executions of this node began in the same moment, or were called by the same one, and one of them was cut off',
		{
			outcome: 'unknown',
			description:
				'Which of them this is cannot be told, so nothing was sent. Look up what was sent, then run the workflow again for the rest.',
		},
	);

/** Milliseconds before each further try of a write that n8n's database refused. */
const pauses = [5, 50, 250, 1_000];

/** What a node's row is asked and told. */
interface Row {
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
class Store {
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
async function ask(row: Row, entries: string[]): Promise<Set<string>> {
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
class Holds {
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
interface NodeState {
	store: Store;
	holds: Holds;
	/** What forgets executions that have ended, the oldest first. */
	ended: Array<() => void>;
	/** How many executions that have the same in common are not known to have ended well. */
	others: Map<string, number>;
}

const states = new Map<string, NodeState>();

/** The state of a node; undefined in a workflow that was never saved, which has no row. */
function stateOf(context: IExecuteFunctions): NodeState | undefined {
	const { id } = context.getWorkflow();
	if (!id) return undefined;
	const name = `${id} ${context.getNode().id}`;
	const fresh = () => ({ store: new Store(), holds: new Holds(), ended: [], others: new Map() });
	const state: NodeState = states.get(name) ?? fresh();
	states.set(name, state);
	return state;
}
