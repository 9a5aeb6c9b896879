import { chunk } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Failure } from '../api/failure';
import { isChunk, type Job, type Send } from '../job';
import { isTool } from './identity';
import type { Memory } from './memory';
import { rowOf, type Row } from './row';

/**
 * What is noted of a send; `again` where it is in doubt and the user wants it sent. It was not
 * necessarily this one where its key alone is known (`byKey`), or where something went to the same person
 * that nothing in the list accounts for (`unclear`): neither accounts for anything.
 */
export type Known = 'new' | 'again' | 'accepted' | 'unknown' | 'byKey' | 'unclear';

/** What became of a send: it was accepted, it may have been, or it certainly was not. */
export type Fate = 'accepted' | 'unknown' | 'free';

/** Executions of a tool that are kept although they went well: the agent may fail and be run anew. */
const rerunnable = 100;

const open = (id: string): string => `open ${id}`;

/**
 * The write-ahead ledger of a run in n8n's database (docs/contract.md, sections 4.3 and 4.5). Before a
 * send goes out, four entries are noted: its id, that it is open, and one number for each person it
 * reaches. Once it has ended, what is not true is struck.
 */
export class Ledger {
	/** How many went to each person, as far as this execution knows. */
	private readonly people: Record<string, number>;

	/** What was added for the sends that have begun and not ended. */
	private readonly begun = new Map<Send, string[]>();

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly row: Row,
		private readonly memory: Memory,
		private readonly isResent: boolean,
	) {
		this.people = memory.people();
	}

	/** Undefined in a workflow that was never saved, for which n8n keeps nothing. */
	static of(context: IExecuteFunctions, memory: Memory, isResent: boolean): Ledger | undefined {
		const row = rowOf(context);
		return row && new Ledger(context, row, memory, isResent);
	}

	/**
	 * What earlier tries have noted, before anything goes out. Whoever has got something that no send of
	 * this list accounts for may have got any of the others: these are in doubt. Throws Failure.
	 */
	async find(sends: Send[], atOnce: number): Promise<Known[]> {
		const found = new Map<Send, Known>();
		for (const some of chunk(sends, atOnce)) {
			const ids = some.flatMap(idsOf);
			await this.row.hold(ids);
			const before = await this.ask(some.flatMap(entriesOf)).finally(() =>
				this.row.letGo(ids),
			);
			for (const send of some) {
				const noted = this.knownOf(before, send);
				// A question that a kill has cut short leaves sends that look open: they account for nothing.
				const isCut = noted === 'unknown' && !this.isResent && before.has(this.asking);
				const known = isCut ? 'unclear' : noted;
				found.set(send, known);
				if (known === 'accepted' || (known === 'unknown' && !this.isResent)) this.count(send, 1);
			}
		}
		const left = sends.filter((send) => found.get(send) === 'new' && this.isCounted(send));
		for (const some of chunk(left, 10 * atOnce)) {
			const before = await this.ask(some.flatMap((send) => this.numbers(send, 1)));
			for (const send of some)
				if (this.numbers(send, 1).some((number) => before.has(number))) found.set(send, 'unclear');
		}
		return sends.map((send) => found.get(send) ?? 'new');
	}

	/** Notes the sends that go out next, and tells which must not. Throws Failure: none has begun. */
	async begin(jobs: Job[]): Promise<Known[]> {
		const sends = jobs.flatMap(({ send }) => send ?? []);
		await this.row.hold(sends.flatMap(idsOf));
		try {
			return await this.turn(async () => {
				const numbers = sends.map((send) => {
					this.count(send, 1);
					return this.numbers(send);
				});
				const all = sends.map((send, n) => [...(numbers[n] ?? []), ...entriesOf(send)]);
				const before = await this.note(all.flat()).catch((failure: Failure) => {
					for (const send of sends) this.count(send, -1);
					throw failure;
				});
				const useless: string[] = [];
				const known = sends.map((send, n): Known => {
					const noted = this.knownOf(before, send);
					const isTaken = (numbers[n] ?? []).some((number) => before.has(number));
					// What a first try notes nobody else has, but for keys.
					const isKnowable = entriesOf(send).some(isKey) || !this.memory.isComplete;
					const unclear = isTaken && this.isCounted(send) ? 'unclear' : noted;
					const fate = isKnowable ? (noted === 'new' ? unclear : noted) : 'new';
					const entries = entriesOf(send);
					const added = entries.filter((entry) => !before.has(entry));
					if (fate === 'new' || (fate === 'unknown' && this.isResent)) {
						this.begun.set(send, added);
						for (const entry of entries) this.row.underWay.add(entry);
						return fate === 'new' ? 'new' : 'again';
					}
					useless.push(...added, ...this.giveBack(send).filter((number) => !before.has(number)));
					return fate;
				});
				if (useless.length > 0) await this.row.strike(this.context, useless);
				return known;
			});
		} finally {
			this.row.letGo(sends.filter((send) => !this.begun.has(send)).flatMap(idsOf));
		}
	}

	/** Says what became of sends that have begun; never throws. */
	async settle(ended: Array<[Job, Fate]>): Promise<void> {
		const own = ended.flatMap(([{ send }, fate]): Array<[Send, Fate]> =>
			send && this.begun.has(send) ? [[send, fate]] : [],
		);
		if (own.length === 0) return;
		const useless = own.flatMap(([send, fate]) => {
			if (fate === 'accepted') return idsOf(send).map(open);
			return fate === 'free' ? [...this.giveBack(send), ...(this.begun.get(send) ?? [])] : [];
		});
		for (const [send] of own) {
			this.begun.delete(send);
			for (const entry of entriesOf(send)) this.row.underWay.delete(entry);
		}
		if (useless.length > 0) await this.turn(async () => await this.row.strike(this.context, useless));
		this.row.letGo(own.flatMap(([send]) => idsOf(send)));
	}

	/** Removes what nobody can ask for any more once the execution has ended well; keys stay. */
	forgetAtEnd(): void {
		const { context } = this;
		context.onExecutionFinish?.(() => {
			if (context.getMode() === 'retry' || context.getExecutionCancelSignal()?.aborted) return;
			void this.forget(isTool(context.getNode()) ? rerunnable : 0);
		});
	}

	/** Removes it once so many other executions have ended. */
	async forget(others = 0): Promise<void> {
		const noted = notedBy(this.memory);
		if (noted.size === 0) return;
		const later = ended.get(this.row) ?? [];
		ended.set(this.row, [...later, [...noted]]);
		noted.clear();
		const gone = ended.get(this.row)?.splice(0, later.length + 1 - others) ?? [];
		if (gone.length > 0)
			await this.turn(async () => await this.row.strike(this.context, gone.flat()));
	}

	private knownOf(before: Set<string>, { id, key }: Send): Known {
		const own = knownIn(before, id);
		const other = own === 'new' && key !== undefined ? knownIn(before, key) : 'new';
		if (other === 'new') return own;
		if (other === 'accepted') return 'byKey';
		return this.isResent ? 'unknown' : 'unclear';
	}

	/** The entries that say how many a send's people have got: with it, or with the next one. */
	private numbers({ people }: Send, more = 0): string[] {
		return people.map((one) => {
			const scope = one.startsWith('key ') ? one : `${this.memory.saved.name} to ${one}`;
			return `${scope} number ${(this.people[one] ?? 0) + more}`;
		});
	}

	/** The numbers of those who are reached have no gaps: of what did not go out the last is free. */
	private giveBack(send: Send): string[] {
		const last = this.numbers(send);
		this.count(send, -1);
		return last;
	}

	/** Whom a campaign that was cut otherwise has reached nobody can tell, whatever the user wants. */
	private isCounted = ({ people }: Send): boolean =>
		!this.isResent || people.some((one) => one === 'campaign' || one.startsWith('key '));

	private count({ people }: Send, change: number): void {
		for (const one of people) this.people[one] = (this.people[one] ?? 0) + change;
	}

	private async turn<T>(work: () => Promise<T>): Promise<T> {
		return await this.row.turn(work);
	}

	private async note(entries: string[]): Promise<Set<string>> {
		const noted = notedBy(this.memory);
		for (const entry of entries) if (!isKey(entry)) noted.add(entry);
		return await this.row.note(this.context, entries);
	}

	private get asking(): string {
		return `${this.memory.saved.name} asking`;
	}

	/** Which entries are noted. n8n cannot be asked without noting: what was not there is struck again. */
	private async ask(entries: string[]): Promise<Set<string>> {
		return await this.turn(async () => {
			const all = [this.asking, ...entries];
			const before = await this.row.note(this.context, all);
			await this.row.strike(
				this.context,
				all.filter((entry) => !before.has(entry)),
			);
			return before;
		});
	}
}

const idsOf = ({ id, key }: Send): string[] => (key === undefined ? [id] : [id, key]);
const entriesOf = (send: Send): string[] => idsOf(send).flatMap((id) => [id, open(id)]);
const isKey = (entry: string): boolean => /^(open )?key /.test(entry);

/** What executions have noted that are under way, and lists of those that ended well, by their row. */
const notes = new WeakMap<object, Set<string>>();
const ended = new WeakMap<Row, string[][]>();

function notedBy({ saved }: Memory): Set<string> {
	const own = notes.get(saved) ?? new Set<string>();
	notes.set(saved, own);
	return own;
}

/** An entry of an id alone says that it was accepted. */
function knownIn(before: Set<string>, id: string): Known {
	if (!before.has(id)) return 'new';
	return before.has(open(id)) ? 'unknown' : 'accepted';
}

/** Says by what other tries and executions know the sends; equal ones are interchangeable. */
export function identify(jobs: Job[], memory: Memory, service: string): void {
	const ofRun: Record<string, number> = {};
	for (const job of jobs) {
		const { source, key } = job;
		if (!source) continue;
		const { content, people } = source;
		const ofKey = key === undefined ? undefined : `key ${service} ${key}`;
		const number = (ofRun[content] = (ofRun[content] ?? 0) + 1);
		if (isChunk(job) && ofKey !== undefined) {
			// A campaign with a key is the same one in all executions.
			job.send = { id: `${ofKey} ${content} ${number}`, people };
			continue;
		}
		const what = key ?? content;
		job.send = { id: `${memory.saved.name} ${what} ${memory.count(what)}`, people, key: ofKey };
	}
}
