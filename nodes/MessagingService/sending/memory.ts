import { assignWith, countBy, omit, omitBy, pick, pickBy, size, sumBy } from 'lodash';
import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { recordsOf, type Operation } from '../operation';
import { sizeOf, type Job, type Result, type Send } from '../job';
import { isKey, isTool } from './identity';

type Counts = Record<string, number>;

/** The result of a send; kept short, because n8n saves it. */
interface StoredResult extends Pick<Send, 'audience' | 'countedFor'> {
	/** How much it adds to the count for Max Sends. */
	size: number;
	/** ID of the execution that sent it; empty if the result was found in the ledger. */
	sentBy: string;
	facts?: IDataObject;
	response?: IDataObject;
	/** Why its outcome is unknown. */
	failure?: StoredFailure;
}

type StoredFailure = Pick<Failure, 'message' | 'description' | 'statusCode' | 'facts'>;

/** Counts over several rounds: sends per recipient or campaign key, occurrences per content. */
type Totals = Record<'sendCounts' | 'contents', Counts>;

/** A node's data that n8n saves per execution. */
interface Saved {
	/** All attempts of an execution share it. Undefined if n8n does not show which execution is retried. */
	name?: string;
	/** ID of the current execution. */
	executionId: string;
	/** Whether a retry began without data, e.g. after a crash or in an agent. */
	startedEmpty: boolean;
	/** The number of the node's run in the execution. */
	round: number;
	/** The sends of this round that were accepted or are unknown, by their place in the list. */
	results: Record<string, StoredResult>;
	/** Occurrences per content in this round. */
	contents: Counts;
	/** Totals of earlier rounds. */
	totals: Totals;
	/** Totals with this round, if it succeeded. */
	endTotals?: Totals;
	/** Count for Max Sends in all rounds, uncertain sends included. */
	reached: number;
	/** The unknown sends of all rounds, by content. */
	unknowns: Record<string, StoredFailure & { round: number }>;
	/** IDs of the executions that exceeded the ledger's limit. */
	overruns: string[];
}

/** Executions that began in this process, with complete memory. */
const complete = new WeakSet<Saved>();

/**
 * What an execution remembers of its sends, in the node's context. It survives Retry On Fail, loops and
 * the Retry of a failed execution; a crash loses it (docs/contract.md, section 4.3).
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
		// In a retry, an agent calls its tools again, maybe with different texts and order.
		if (isRetry && isTool(context.getNode()) && saved?.executionId !== id) saved = undefined;
		const isNew = !saved;
		saved ??= fresh(id, isRetry);
		if (isNew && !isRetry) complete.add(saved);
		stored.sends = saved as unknown as IDataObject;
		this.saved = Object.assign(saved, { executionId: id, name: saved.name ?? nameOf(context) });
		const round = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		if (round !== saved.round) {
			const { sendCounts, contents } = this.totalsNow();
			// The chunks of a campaign are numbered by the count for its key. A round with the same key sends
			// the same campaign again, so this count starts at 0.
			const totals = { sendCounts: omitBy(sendCounts, (_, one) => isKey(one)), contents };
			Object.assign(saved, { totals, results: {}, round });
		}
		// n8n may rerun a successful round, for example if it could not store the output.
		else if (saved.endTotals) complete.delete(saved);
		Object.assign(saved, { endTotals: undefined, contents: {} });
	}

	/** Whether all sends of this execution are remembered here. */
	get isComplete(): boolean {
		return complete.has(this.saved);
	}

	/** Counts one more send with this content; returns how many there are in all rounds. */
	nextNumber(content: string): number {
		const { totals, contents } = this.saved;
		contents[content] = (contents[content] ?? 0) + 1;
		return (totals.contents[content] ?? 0) + contents[content];
	}

	/**
	 * A job's stored result, or the uncertain result of a send with equal content in another round. Call `keepOnly`
	 * first: it drops results for other recipients.
	 */
	recall({ place, send }: Job): Result | undefined {
		const { results, unknowns, round } = this.saved;
		const stored = results[place];
		if (stored) return this.resultOf(stored);
		const earlier = send && unknowns[send.content];
		return earlier && earlier.round !== round ? { failure: restoredFailure(earlier) } : undefined;
	}

	/** Drops results without a matching job; the ledger still has their entries. */
	keepOnly(jobs: Job[]): void {
		const audiences = new Map(jobs.map(({ place, send }) => [place, send?.audience]));
		const isKept = ({ audience }: StoredResult, place: string) =>
			audiences.has(place) && (audiences.get(place) ?? audience) === audience;
		const results = pickBy(this.saved.results, isKept);
		if (size(results) === size(this.saved.results)) return;
		this.saved.results = results;
		complete.delete(this.saved);
	}

	/** Keeps the response to a send, or the failure of one whose outcome is unknown. */
	remember(job: Job, outcome: IDataObject | Failure, sentBy = this.context.getExecutionId()): void {
		const { place, send, facts } = job;
		if (!send) return;
		const { results, unknowns, round } = this.saved;
		const kept = { ...pick(send, ['audience', 'countedFor']), size: sizeOf(job), sentBy, facts };
		if (outcome instanceof Failure) {
			const failure = pick(outcome, ['message', 'description', 'statusCode', 'facts']);
			results[place] = { ...kept, failure };
			unknowns[send.content] = { ...failure, round };
		} else {
			results[place] = { ...kept, response: outcome };
			delete unknowns[send.content];
		}
	}

	/** Adds to the execution's count for Max Sends; returns false and adds nothing if that would exceed `most`. */
	reserve(size: number, most = Infinity): boolean {
		if (this.saved.reached + size > most) return false;
		this.saved.reached += size;
		return true;
	}

	/** Upper bound on the sends in other rounds of this execution. */
	get countedInOtherRounds(): number {
		return this.saved.reached - sumBy(Object.values(this.saved.results), 'size');
	}

	/** Drops the results of a successful round, because n8n has its output. */
	end(): void {
		Object.assign(this.saved, { endTotals: this.totalsNow(), results: {} });
	}

	/** The totals of all rounds, with this one. */
	totalsNow(): Totals {
		const { totals, results, contents, endTotals } = this.saved;
		if (endTotals) return endTotals;
		const sent = countBy(Object.values(results).flatMap(({ countedFor }) => countedFor));
		return { sendCounts: sum(totals.sendCounts, sent), contents: sum(totals.contents, contents) };
	}

	private resultOf({ failure, response, facts, sentBy }: StoredResult): Result {
		if (failure) return { failure: restoredFailure(failure), continues: true };
		const isOfEarlierExecution = sentBy !== this.context.getExecutionId();
		const marked = { ...(isOfEarlierExecution && { alreadySent: true }), ...response };
		return { records: recordsOf(this.operation, marked, facts) };
	}
}

const fresh = (executionId: string, startedEmpty: boolean): Saved => ({
	executionId,
	startedEmpty,
	round: 0,
	results: {},
	contents: {},
	totals: { sendCounts: {}, contents: {} },
	reached: 0,
	unknowns: {},
	overruns: [],
});

/** The name that an execution's attempts share; undefined if a crash lost it. */
function nameOf(context: IExecuteFunctions): string | undefined {
	const { establishedAt, source, parentExecutionId } = context.getExecutionContext() ?? {};
	// If the source is `retry`, n8n has lost the context of the first attempt, e.g. after a sub-workflow's crash.
	if (source === 'retry') return undefined;
	const startTime = parentExecutionId === undefined ? establishedAt : undefined;
	return String(startTime ?? (context.getExecutionId() || randomUUID()));
}

const sum = (one: Counts, other: Counts): Counts =>
	assignWith({ ...one }, other, (a: number | undefined, b: number) => (a ?? 0) + b);

const restoredFailure = ({ message, ...others }: StoredFailure): Failure =>
	new Failure(message, { outcome: 'unknown', ...omit(others, 'round') });
