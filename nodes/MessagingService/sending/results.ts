import { countBy, isEmpty, omit, pick, pickBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import type { Operation } from '../operation';
import { recordsOf, type Job, type Result } from '../job';
import { isTool, type Numbering } from './identity';

/** What is known of a send that this execution has made; written in short, because n8n saves it. */
interface Remembered extends Pick<Job, 'facts' | 'campaign' | 'chunkId'> {
	/** Its input, and whom it reaches. */
	of: string;
	/** Of a chunk of a campaign: its input items and its recipients. */
	items?: string;
	whom?: string;
	/** Id of the execution that has sent it. */
	by: string;
	response?: IDataObject;
	/** Where nobody knows whether it was sent. */
	unknown?: Unknown;
}

/** A failure whose outcome stayed unknown, as it is kept. */
interface Unknown extends Pick<Failure, 'message' | 'description' | 'statusCode' | 'facts'> {
	/** Fingerprint of what was sent to whom. */
	content?: string;
}

/** One run of the node in the execution: a loop has several, and so has an agent. */
interface Round {
	/** Which it is, counted from 0: after a crash n8n numbers them otherwise. */
	number: number;
	/** By place in the run. */
	results: Record<string, Remembered>;
	/** How often each text has been counted in it. */
	counted: Record<string, number>;
	/** How many tries to cut a campaign are known in full, by the name of its list. */
	cuts: Record<string, number>;
	/** How many sends to somebody its items account for that are in doubt. */
	doubts: Record<string, number>;
	/** How many it has reached or may have. */
	spent: number;
	/** Of a call of an agent: in which execution and by which run of the agent, and how many went to whom. */
	call?: { by: string; caller: string; sent: Record<string, number> };
	/** Whether it has ended well: what it remembered of accepted sends is gone. */
	isOver?: true;
}

interface Saved {
	/** By the number that n8n gives them. */
	rounds: Record<string, Round>;
	/** How many rounds have begun. */
	begun: number;
	/** How often each text has been counted in all rounds. */
	counts: Record<string, number>;
	/** How many sends to somebody this execution knows of. */
	sent: Record<string, number>;
	/** How many all rounds have reached or may have. */
	spent: number;
	/** What is the same in all tries of the execution; absent before its first send. */
	name?: string;
	/** Id of the execution that has begun with this, of all that are retried from it. */
	first: string;
	/** How often n8n has begun with this, or gone on from what it had kept. */
	starts: number;
	/** The latest that the log knows. */
	notedStart?: number;
	/** Whether earlier executions may have sent what this one does not remember: n8n may have begun anew. */
	isAnew: boolean;
	/** The round in which a list was found to be another one than before a crash. */
	refusedIn?: number;
	/** The service that the first send went through. */
	service?: string;
}

/** What this process is at work with: n8n reads anew what it has kept of a wait or a failure. */
const present = new WeakSet<Saved>();

/**
 * What an execution itself remembers of its sends (docs/contract.md, sections 4.3 and 4.4): answers,
 * and how often what went to whom.
 *
 * It lives in the node's context, which n8n keeps across Retry On Fail and the rounds of a loop, and
 * saves with a failed execution. A crash takes it along.
 */
export class Results {
	readonly saved: Saved;

	readonly round: Round;

	/** Whether an earlier try of this run has forgotten what it had sent. */
	readonly isForgotten: boolean;

	/** Whether earlier tries have sent through another service: what became of that cannot be seen here. */
	isElsewhere: boolean;

	private readonly execution: string;

	/** @param service that sends go through; undefined where that cannot be told */
	constructor(
		context: IExecuteFunctions,
		private readonly operation: Operation,
		readonly service: string | undefined,
	) {
		const stored = context.getContext('node');
		this.execution = context.getExecutionId();
		const fresh: Saved = {
			isAnew: context.getMode() === 'retry',
			first: this.execution,
			starts: 0,
			rounds: {},
			begun: 0,
			counts: {},
			sent: {},
			spent: 0,
		};
		this.saved = (stored.sends ??= fresh as unknown as IDataObject) as unknown as Saved;
		if (!present.has(this.saved)) this.saved.starts++;
		present.add(this.saved);
		const { rounds, name, sent, counts } = this.saved;
		const call = callOf(context);
		for (const [index, round] of Object.entries(rounds)) {
			// In a retry an agent calls anew what the run had called that failed, in whatever words and order.
			if (!call || round.call?.caller !== call.caller || round.call.by === call.by) continue;
			takeAway(sent, round.call.sent);
			takeAway(counts, round.counted);
			this.saved.spent -= round.spent;
			delete rounds[index];
			this.saved.isAnew ||= name !== undefined;
		}
		this.isElsewhere = service !== undefined && (this.saved.service ?? service) !== service;
		const index = String(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		this.round = rounds[index] ??= {
			number: this.saved.begun++,
			results: {},
			counted: {},
			cuts: {},
			doubts: {},
			spent: 0,
			call,
		};
		for (const [name, { isOver, number, results }] of Object.entries(rounds))
			if (!call && isOver && number < this.round.number && isEmpty(results)) delete rounds[name];
		this.isForgotten = this.round.isOver === true;
		delete this.round.isOver;
	}

	/**
	 * What became of a send of the same input to the same recipient; where that cannot be read any more
	 * the input alone counts.
	 */
	recall({ place, input, source }: Job): Result | undefined {
		const known = this.round.results[place];
		const [ownInput, to] = known?.of.split(' ') ?? [];
		if (!known || ownInput !== input || (source && to !== source.to)) return undefined;
		return this.resultOf(known);
	}

	/** The failure of a send of the same content in another run of the node in this execution. */
	unknownElsewhere(content: string): Failure | undefined {
		const others = Object.values(this.saved.rounds).filter((round) => round !== this.round);
		const all = others.flatMap(({ results }) => Object.values(results));
		const { unknown } = all.find((one) => one.unknown?.content === content) ?? {};
		return unknown && failureOf(unknown);
	}

	/** Every chunk of a campaign that went out or may have, the latest last. */
	chunks(): Job[] {
		return Object.entries(this.round.results).flatMap(([place, known]): Job[] => {
			const { facts, items = '', whom, campaign, chunkId } = known;
			if (whom === undefined) return [];
			const [input, to = ''] = known.of.split(' ');
			const source = { to, each: [], content: '' };
			const result = this.resultOf(known);
			const own = { place, input, source, facts, campaign, chunkId, result };
			return [{ ...own, items: items.split(',').map(Number), recipients: whom.split(',') }];
		});
	}

	/** Remembers the response to a send, or the failure of one that may have gone out. */
	remember(job: Job, outcome: IDataObject | Failure): void {
		const { place, input, source, facts, items, recipients, campaign, chunkId } = job;
		if (!source) return;
		const chunk = recipients && {
			items: items.join(),
			whom: recipients.join(),
			campaign,
			chunkId,
		};
		const kept = { of: `${input} ${source.to}`, by: this.execution, facts, ...chunk };
		this.saved.service ??= this.service;
		const { results } = this.round;
		// What is remembered last is the latest.
		delete results[place];
		if (outcome instanceof Failure) {
			const told = pick(outcome, ['message', 'description', 'statusCode', 'facts']);
			results[place] = { ...kept, unknown: { ...told, content: source.content } };
		} else results[place] = { ...kept, response: outcome };
	}

	/**
	 * Numbers equal texts over all rounds of the execution, from 1. Another try of the round begins
	 * anew; later rounds begin behind whichever came furthest, for one may not have been able to read all.
	 */
	numbering(): Numbering {
		const { counts } = this.saved;
		const { counted } = this.round;
		const own: Record<string, number> = {};
		return (text) => {
			const number = (own[text] = (own[text] ?? 0) + 1);
			const most = counted[text] ?? 0;
			const elsewhere = (counts[text] ?? 0) - most;
			counted[text] = Math.max(most, number);
			counts[text] = elsewhere + counted[text];
			return elsewhere + number;
		};
	}

	/** Changes how many sends to somebody this execution knows of, and gives how many it does. */
	count(to: string, change: number): number {
		const { call } = this.round;
		if (call) call.sent[to] = (call.sent[to] ?? 0) + change;
		return (this.saved.sent[to] = (this.saved.sent[to] ?? 0) + change);
	}

	/** Says anew which sends in doubt the items of this run account for: another try may have others. */
	countDoubts(all: string[]): void {
		for (const [to, count] of Object.entries(this.round.doubts)) this.count(to, -count);
		this.round.doubts = countBy(all);
		for (const to of all) this.count(to, 1);
	}

	/** How many other runs of the node in this execution have reached or may have. */
	spentElsewhere(): number {
		return this.saved.spent - this.round.spent;
	}

	/** Sets aside so many of those that an execution may reach; false if that would be more than `most`. */
	spend(size: number, most = Infinity): boolean {
		if (this.saved.spent + size > most) return false;
		this.saved.spent += size;
		this.round.spent += size;
		return true;
	}

	/** Forgets what was accepted in this run: n8n has the responses, and no retry will ask for them. */
	end(): void {
		const results = pickBy(this.round.results, ({ unknown }) => unknown !== undefined);
		Object.assign(this.round, { results, cuts: {}, isOver: true });
	}

	private resultOf({ unknown, response, facts, by }: Remembered): Result {
		const isEarlier = by !== this.execution;
		if (unknown) return { failure: failureOf(unknown), isEarlier };
		const told = { ...(isEarlier && { alreadySent: true }), ...response };
		return { records: recordsOf(this.operation, told, facts) };
	}
}

function takeAway(from: Record<string, number>, counts: Record<string, number>): void {
	for (const [text, count] of Object.entries(counts)) from[text] = (from[text] ?? 0) - count;
}

/** Which run of an agent has called the node as its tool; undefined where none has. */
function callOf(context: IExecuteFunctions): Round['call'] {
	if (!isTool(context.getNode())) return undefined;
	const own = { by: context.getExecutionId(), caller: '', sent: {} };
	try {
		const { $prevNode } = context.getWorkflowDataProxy(0);
		return { ...own, caller: `${$prevNode.name} ${$prevNode.runIndex}` };
	} catch {
		return own;
	}
}

const failureOf = ({ message, ...others }: Unknown): Failure =>
	new Failure(message, { outcome: 'unknown', ...omit(others, 'content') });
