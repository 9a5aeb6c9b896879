import { omit, omitBy, pick } from 'lodash';
import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import type { Operation } from '../operation';
import { recordsOf, sizeOf, type Job, type Result } from '../job';
import { isTool } from './identity';

type Counts = Record<string, number>;

/** What became of a send in this round; written in short, because n8n saves it. */
interface Answer {
	whom: string;
	people: string[];
	/** How many it reaches. */
	size: number;
	/** The execution that sent it. */
	by: string;
	facts?: IDataObject;
	response?: IDataObject;
	/** Where nobody knows whether it was sent. */
	failure?: Told;
}

type Told = Pick<Failure, 'message' | 'description' | 'statusCode' | 'facts'>;

interface Saved {
	/** The same in all tries of the execution: when the first of them began. */
	name?: string;
	/** The execution that has it now. */
	owner: string;
	/** Whether what earlier tries remembered is gone: after a crash, and of an agent that calls anew. */
	isLost: boolean;
	round: number;
	/** Sends of this round by their place in it. */
	answers: Record<string, Answer>;
	/** How many went to each person in the rounds before, and to how many in all. */
	people: Counts;
	spent: number;
	/** How often each content came in the rounds before, and in this one. */
	before: Counts;
	own: Counts;
	/** What is in doubt in whatever round, by its content. */
	doubts: Record<string, Told & { round: number }>;
}

/** Those of first tries that began in this process: nobody else has sent anything for them. */
const complete = new WeakSet<Saved>();

/**
 * What an execution remembers of its sends, in the node's context: it lives through Retry On Fail,
 * loops and a Retry of a failed execution, and is lost in a crash.
 */
export class Memory {
	readonly saved: Saved;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
	) {
		const stored = context.getContext('node');
		const id = context.getExecutionId();
		const isRetry = context.getMode() === 'retry';
		let saved = stored.sends as unknown as Saved | undefined;
		// In a retry an agent calls its tools from the beginning, in whatever words and order.
		if (isRetry && isTool(context.getNode()) && saved?.owner !== id) saved = undefined;
		if (!saved) {
			saved = fresh(id, isRetry);
			if (!isRetry) complete.add(saved);
		}
		stored.sends = saved as unknown as IDataObject;
		this.saved = saved;
		saved.owner = id;
		saved.name ??= nameOf(context);
		const round = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		if (round !== saved.round) this.end();
		saved.round = round;
		saved.own = {};
	}

	/** Whether another try or process may have sent what this does not remember. */
	get isComplete(): boolean {
		return complete.has(this.saved);
	}

	get isEmpty(): boolean {
		return Object.keys(this.saved.answers).length === 0;
	}

/** Which of several equal contents this is, over all rounds of the execution. */
	count(content: string): number {
		const { before, own } = this.saved;
		own[content] = (own[content] ?? 0) + 1;
		return (before[content] ?? 0) + own[content];
	}

	/** What became of the send that stood at this place, if it reached the same. */
	recall({ place, source }: Job): Result | undefined {
		const { answers, doubts, round } = this.saved;
		const known = answers[place];
		if (known && (!source || known.whom === source.whom)) return this.resultOf(known);
		if (known) {
			// Nothing in the list stands for it any more; the ledger still counts it.
			delete answers[place];
			complete.delete(this.saved);
		}
		const doubt = source && doubts[source.content];
		return doubt && doubt.round !== round ? { failure: failureOf(doubt) } : undefined;
	}

	remember(job: Job, outcome: IDataObject | Failure, by = this.context.getExecutionId()): void {
		const { place, source, facts } = job;
		if (!source) return;
		const { answers, doubts, round } = this.saved;
		const kept = { ...pick(source, ['whom', 'people']), size: sizeOf(job), by, facts };
		if (outcome instanceof Failure) {
			const told = pick(outcome, ['message', 'description', 'statusCode', 'facts']);
			answers[place] = { ...kept, failure: told };
			doubts[source.content] = { ...told, round };
		} else {
			answers[place] = { ...kept, response: outcome };
			delete doubts[source.content];
		}
	}

	/** How many went to somebody, as far as this execution knows. */
	people(): Counts {
		const all = { ...this.saved.people };
		for (const { people } of Object.values(this.saved.answers)) add(all, people);
		return all;
	}

	/** How many were reached in other rounds, and in this one. */
	spent(): { before: number; own: number } {
		const sizes = Object.values(this.saved.answers).map(({ size }) => size);
		return { before: this.saved.spent, own: sizes.reduce((sum, size) => sum + size, 0) };
	}

	/** Forgets the answers of a round that has ended well: n8n has its output. */
	end(): void {
		const { saved } = this;
		// A campaign with a key is counted anew in each run: it is the same one in all of them.
		saved.people = omitBy(this.people(), (_, one) => one.startsWith('key '));
		saved.spent += this.spent().own;
		saved.answers = {};
		for (const [content, times] of Object.entries(saved.own))
			saved.before[content] = (saved.before[content] ?? 0) + times;
		saved.own = {};
	}

	private resultOf({ failure, response, facts, by }: Answer): Result {
		const isEarlier = by !== this.context.getExecutionId();
		if (failure) return { failure: failureOf(failure), isEarlier };
		const told = { ...(isEarlier && { alreadySent: true }), ...response };
		return { records: recordsOf(this.operation, told, facts) };
	}
}

const fresh = (owner: string, isLost: boolean): Saved => ({
	owner,
	isLost,
	round: 0,
	answers: {},
	people: {},
	spent: 0,
	before: {},
	own: {},
	doubts: {},
});

/** Undefined where a crash took along what an execution and its retries have in common. */
function nameOf(context: IExecuteFunctions): string | undefined {
	const { establishedAt, source } = context.getExecutionContext() ?? {};
	// Of a sub-workflow a crash takes along when it began.
	if (source === 'retry') return undefined;
	return String(establishedAt ?? (context.getExecutionId() || randomUUID()));
}

function add(counts: Counts, names: string[]): void {
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
}

const failureOf = ({ message, ...others }: Told): Failure =>
	new Failure(message, { outcome: 'unknown', ...omit(others, 'round') });
