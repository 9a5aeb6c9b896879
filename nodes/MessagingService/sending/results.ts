import { omit, sum } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { runIndexOf } from './identity';
import { readRows, writeRows, type Job } from './plan';

/** What a send was made from. */
export interface Source {
	/** Fingerprint of its input items. */
	input: string;
	/** Whom it reaches, and through which service. */
	to: string;
	/** Fingerprint of what is sent to whom. */
	content: string;
}

/** What is known of a send that this execution has made; written in short, because n8n saves it. */
type Remembered = Pick<Job, 'facts'> & {
	/** Input and recipient. */
	of: string;
	/** Of a chunk of a campaign: its input items, in short, its recipients, and what all of them get. */
	items?: string;
	whom?: string;
	campaign?: string;
	/** Which of those to the same recipients it is noted as. */
	nth?: number;
	/** Id of the execution that has sent it. */
	by: string;
} & ({ response: IDataObject } | { unknown: Unknown; content: string });

/** A failure whose outcome stayed unknown, as it is kept. */
interface Unknown {
	message: string;
	description: string;
	statusCode: number | null;
	facts: IDataObject;
}

/** One run of the node in the execution: a loop has several, and so has an agent. */
interface Round {
	/** Which it is, counted from 0. */
	number: number;
	/** By service and place in the run. */
	results: Record<string, Record<string, Remembered>>;
	/** How often each text has been counted in it. */
	counted: Record<string, number>;
	/** How many tries to cut a campaign are known in full, by the name of the campaign. */
	cuts: Record<string, number>;
	/** Whether it has ended well. */
	isOver?: boolean;
}

interface Saved {
	rounds: Record<string, Round>;
	/** How many rounds have begun. */
	begun: number;
	/** How often each text has been counted in rounds that are over. */
	counts: Record<string, number>;
	/** How many sends to somebody this execution knows of. */
	sent: Record<string, number>;
	/** By which of several executions of the same moment it is known; absent before its first send. */
	slot?: number;
	/** How many each run of the node has reached or may have, by its number. */
	spent: Record<string, number>;
	/** Set once a list was found to be another one than before a crash. */
	isRefused?: true;
}

const contextKey = 'sends';

/**
 * What an execution itself remembers of its sends (docs/contract.md, sections 4.3 and 4.4): answers,
 * and how often what went to whom.
 *
 * It lives in the node's context, which n8n keeps across Retry On Fail and the rounds of a loop, and
 * saves with a failed execution. A crash takes it along.
 */
export class Results {
	readonly saved: Saved;

	/** Whether n8n has kept what an earlier try remembers: it goes on with the same list. */
	readonly isResumed: boolean;

	readonly round: Round;

	private readonly execution: string;

	/** What this run has sent through the service. */
	private readonly known: Record<string, Remembered>;

	/**
	 * @param service undefined where that cannot be told any more: what was sent through any counts
	 */
	constructor(context: IExecuteFunctions, service: string | undefined) {
		const stored = context.getContext('node');
		this.isResumed = contextKey in stored;
		const fresh: Saved = { rounds: {}, begun: 0, counts: {}, sent: {}, spent: {} };
		this.saved = (stored[contextKey] ??= fresh as unknown as IDataObject) as unknown as Saved;
		const { rounds, counts } = this.saved;
		const index = runIndexOf(context);
		this.round = rounds[index] ??= {
			number: this.saved.begun++,
			results: {},
			counted: {},
			cuts: {},
		};
		for (const [name, { isOver, number, counted, results }] of Object.entries(rounds)) {
			if (!isOver || number >= this.round.number) continue;
			for (const [text, times] of Object.entries(counted)) {
				counts[text] = (counts[text] ?? 0) + times;
				delete counted[text];
			}
			if (Object.values(results).every((of) => Object.keys(of).length === 0)) delete rounds[name];
		}
		this.execution = context.getExecutionId();
		delete this.round.isOver;
		const { results } = this.round;
		this.known =
			service === undefined
				? Object.assign({}, ...Object.values(results))
				: (results[service] ??= {});
	}

	/**
	 * What became of a send of the same input to the same recipient, and whether another execution has
	 * sent it. Where it cannot be read any more the input alone counts.
	 */
	recall(
		{ place, source, recipients }: Job,
		input: string,
	): { outcome: IDataObject | Failure; isEarlier: boolean } | undefined {
		const known = this.known[place];
		if (!known) return undefined;
		const [ownInput, to] = known.of.split(' ');
		// A chunk that is known has a place of its own.
		if (!recipients && (ownInput !== input || (source && to !== source.to))) return undefined;
		const outcome = 'unknown' in known ? failureOf(known.unknown) : known.response;
		return { outcome, isEarlier: known.by !== this.execution };
	}

	/** The failure of a send of the same content in another run of the node in this execution. */
	unknownElsewhere(content: string): Failure | undefined {
		const others = Object.values(this.saved.rounds).filter((round) => round !== this.round);
		for (const { results } of others) {
			for (const known of Object.values(results).flatMap((all) => Object.values(all))) {
				if ('unknown' in known && known.content === content) return failureOf(known.unknown);
			}
		}
		return undefined;
	}

	/** Every chunk of a campaign that went out or may have, the latest last. */
	chunks() {
		return Object.entries(this.known).flatMap(([place, known]) => {
			const { facts, items = '', whom, campaign, nth } = known;
			if (whom === undefined) return [];
			const [input = '', to = ''] = known.of.split(' ');
			const source = { input, to, content: '' };
			const recipients = whom.split(',');
			const isUnknown = 'unknown' in known;
			return [
				{ place, source, facts, items: readRows(items), recipients, campaign, nth, isUnknown },
			];
		});
	}

	/** Remembers the response to a send, or the failure of one that may have gone out; nothing of a read. */
	remember(
		{ place, source, facts, items, recipients, campaign, send }: Job,
		outcome: IDataObject | Failure,
	): void {
		if (!source) return;
		const { input, to, content } = source;
		const chunk = recipients && {
			items: writeRows(items),
			whom: recipients.join(),
			campaign,
			nth: Number(send?.ids[0]?.split(' ').at(-1)),
		};
		const kept = { of: `${input} ${to}`, by: this.execution, facts, ...chunk };
		// What is remembered last is the latest.
		delete this.known[place];
		if (!(outcome instanceof Failure)) {
			this.known[place] = { ...kept, response: outcome };
			return;
		}
		const { message, description, statusCode, facts: details } = outcome;
		const unknown = { message, description, statusCode, facts: details };
		this.known[place] = { ...kept, content, unknown };
	}

	/**
	 * Numbers equal texts over all rounds of the execution, from 1. Another try of the round begins
	 * anew; later rounds begin behind whichever came furthest, for one may not have been able to read all.
	 */
	numbering(): (text: string) => number {
		const { counts, rounds } = this.saved;
		const most = this.round.counted;
		const counted: Record<string, number> = {};
		const others = Object.values(rounds).filter(({ number }) => number < this.round.number);
		return (text) => {
			const earlier = others.map((round) => round.counted[text] ?? 0);
			counted[text] = (counted[text] ?? 0) + 1;
			most[text] = Math.max(most[text] ?? 0, counted[text]);
			return sum([counts[text] ?? 0, ...earlier, counted[text]]);
		};
	}

	/** Changes how many sends to somebody this execution knows of, and gives how many it does. */
	count(to: string, change: number): number {
		return (this.saved.sent[to] = (this.saved.sent[to] ?? 0) + change);
	}

	/** Takes note of how many earlier tries of this run have reached or may have. */
	hasSpent(size: number): void {
		const { spent } = this.saved;
		const { number } = this.round;
		// More, where something was sent again that was in doubt.
		spent[number] = Math.max(spent[number] ?? 0, size);
	}

	/** How many other runs of the node in this execution have reached or may have. */
	spentElsewhere(): number {
		return sum(Object.values(omit(this.saved.spent, this.round.number)));
	}

	/** Sets aside so many of those that an execution may reach; false if that would be more than `most`. */
	spend(size: number, most = Infinity): boolean {
		const { spent } = this.saved;
		if (sum(Object.values(spent)) + size > most) return false;
		spent[this.round.number] = (spent[this.round.number] ?? 0) + size;
		return true;
	}

	/** Forgets what was accepted in this run: n8n has the responses, and no retry will ask for them. */
	end(): void {
		const { round } = this;
		for (const of of Object.values(round.results)) {
			for (const [place, known] of Object.entries(of)) if ('response' in known) delete of[place];
		}
		Object.assign(round, { isOver: true, cuts: {} });
	}
}

const failureOf = ({ message, description, statusCode, facts }: Unknown): Failure =>
	new Failure(message, { outcome: 'unknown', description, statusCode, facts });
