import { countBy, pick, size, union } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Call } from '../api/client';
import type { ServiceClock } from '../api/clock';
import { Failure, failureOr, unknownAdvice } from '../api/failure';
import { readNewest } from '../api/newest';
import type { Operation } from '../operation';
import { failureOf, isChunk, sizeOf, type Job, type Result } from '../job';
import { sendOf } from './identity';
import { isUnclear, Ledger, type Earlier } from './ledger';
import { Memory } from './memory';
import { rowOf } from './row';

interface SendsParts {
	context: IExecuteFunctions;
	operation: Operation;
	/** Undefined if the credential cannot be read. */
	baseUrl: string | undefined;
	/** Whether unknown sends are sent again. */
	resendUnknown: boolean;
	/** Maximum sends per lookup: a crash during a lookup makes all its sends look as if they were in flight. */
	atOnce: number;
	call: Call;
}

/**
 * Looks up a run's sends in earlier attempts and other executions, and records them for later ones
 * (docs/contract.md, sections 4.3 to 4.5).
 */
export class Sends {
	readonly memory: Memory;

	/** Absent until all sends are looked up, and in an unsaved workflow. */
	ledger: Ledger | undefined;

	/** The service's records since the execution began, read once. */
	private list: Promise<IDataObject[] | Failure> | undefined;

	/** How many sends of earlier attempts each recipient has. */
	private earlierCounts: Record<string, number> = {};

	constructor(private readonly parts: SendsParts) {
		this.memory = new Memory(parts.context, parts.operation);
	}

	/** Whether unknown sends are sent again. */
	get resendUnknown(): boolean {
		return this.parts.resendUnknown;
	}

	/** Gives jobs the results of earlier attempts, or why they can't be sent now. */
	async applyEarlier(jobs: Job[]): Promise<void> {
		const { context, resendUnknown } = this.parts;
		const { memory } = this;
		const pending = jobs.filter(({ result }) => !result);
		this.identify(pending);
		// A campaign that could not be planned has no places, so all stored results are kept.
		const isUnplanned = pending.some(({ place }) => place === 'all');
		if (!isUnplanned) memory.keepOnly(pending);
		for (const job of pending) {
			const recalled = memory.recall(job);
			if (resendUnknown && recalled && 'failure' in recalled) job.earlierUnknown = recalled.failure;
			else job.result = recalled;
		}
		const row = rowOf(context);
		const ledger = row && new Ledger(context, row, memory, resendUnknown);
		const hasKeyedChunks = jobs.some((job) => isChunk(job) && job.key !== undefined);
		const mustLookUp = ledger && (!memory.isComplete || hasKeyedChunks);
		const lookUpFailure = mustLookUp ? await failureOr(this.lookUp(pending, ledger)) : undefined;
		this.ledger = ledger;
		for (const job of pending) {
			const cause = job.failure ?? lookUpFailure;
			if (!cause) continue;
			// An unplanned job can't be looked up.
			const isNotLookedUp = ledger && !job.send && memory.saved.startedEmpty;
			const mayHaveBeenSent =
				isNotLookedUp || lookUpFailure || (isUnplanned && size(memory.saved.results) > 0);
			job.result ??= { failure: mayHaveBeenSent ? cause.asUnknown(notLookedUpAdvice) : cause };
		}
	}

	/** The result of a send in the ledger. */
	async resultOf(job: Job, earlier: Earlier): Promise<Result> {
		const { key, facts, plan } = job;
		const isAccepted = earlier.outcome === 'accepted';
		const records = earlier.isOwn || !isAccepted ? await this.recordsFor(job) : undefined;
		// A record that is listed late may be missing, so it could be that of another send to the recipient.
		const isOnly =
			records?.length === 1 && (this.earlierCounts[this.listedRecipient(job)] ?? 0) <= 1;
		const record = isOnly ? records[0] : undefined;
		const accepted = {
			alreadySent: true,
			...(key !== undefined && { idempotencyKey: key }),
			...(record && { ...pick(record, 'providerMessageId'), ...plan?.describe?.(record), record }),
		};
		const outcome = isAccepted ? accepted : this.unknownOf(job, earlier, records);
		if (earlier.isOwn) this.memory.remember(job, outcome, '');
		if (earlier.isOwn) this.memory.reserve(sizeOf(job));
		if (outcome instanceof Failure) return { failure: outcome, continues: true };
		return { records: [{ ...outcome, ...facts }] };
	}

	/** Why the outcome of a send is unknown, with the service's records for its recipient. */
	unknownOf(job: Job, { isOwn, isTraced }: Earlier, candidates?: IDataObject[]): Failure {
		const { plan, key } = job;
		const orOther = key === undefined ? '' : `, or another execution with the key "${key}",`;
		const message = isOwn
			? 'An earlier attempt was interrupted while sending: this may have arrived'
			: `An earlier attempt${orOther} may already have sent this`;
		const advice = isTraced && isChunk(job) ? changedCampaignAdvice : '';
		return new Failure(message, {
			outcome: 'unknown',
			description: `${advice}${candidates?.length === 0 ? noCandidates : ''}${plan ? unknownAdvice(plan.request) : ''}`,
			facts: { idempotencyKey: key, ...(candidates && { candidates }) },
		});
	}

	/** Gives sends their ids: the n-th of equal sends has the same id in each attempt. */
	private identify(jobs: Job[]): void {
		const chunkCounts: Record<string, number> = {};
		for (const job of jobs) {
			const send = sendOf(job, this.parts.baseUrl);
			job.send = send;
			if (!send) continue;
			const { content, keyId } = send;
			send.id = `${this.memory.saved.name} ${content} ${this.memory.nextNumber(content)}`;
			if (keyId === undefined || !isChunk(job)) continue;
			// All chunks of a campaign share its key, so each id adds the content and a number.
			const number = (chunkCounts[content] = (chunkCounts[content] ?? 0) + 1);
			send.keyId = `${keyId} ${content} ${number}`;
		}
	}

	private async lookUp(jobs: Job[], ledger: Ledger): Promise<undefined> {
		const { memory } = this;
		if (memory.saved.name === undefined) throw lostName();
		const wanted = jobs.flatMap(({ result, send }) => (!result && send ? [send] : []));
		const remembered = jobs.flatMap(({ earlierUnknown, send }) => (earlierUnknown && send) || []);
		const found = await ledger.find(wanted, new Set(remembered), this.parts.atOnce);
		const earlierOf = ({ send }: Job) => send && found.get(send);
		this.earlierCounts = countBy(jobs.filter(earlierOf), (job) => this.listedRecipient(job));
		for (const job of jobs) {
			const earlier = earlierOf(job);
			if (earlier?.isResent) {
				if (!job.earlierUnknown) memory.reserve(sizeOf(job));
				job.earlierUnknown ??= this.unknownOf(job, earlier);
			} else if (earlier) job.result = await this.resultOf(job, earlier);
		}
		// A retry may give new keys to sends that already have a result. The key of an unclear chunk is not noted,
		// because it may belong to a different chunk.
		const decided = jobs.filter(
			(job) => job.result && !(isChunk(job) && isUnclear(earlierOf(job))),
		);
		await ledger.noteKeys(
			decided.flatMap(({ send, ...job }) =>
				send ? [[send, failureOf(job) ? 'unknown' : 'accepted']] : [],
			),
		);
		for (const { place, send } of decided) {
			const stored = memory.saved.results[place];
			if (stored && send) stored.countedFor = union(stored.countedFor, send.countedFor);
		}
	}

	/** The recipient as the service's list shows it; empty if it shows none. */
	private listedRecipient({ plan }: Job): string {
		return (plan && this.parts.operation.recordLookUp?.recipientOf(plan.request)) ?? '';
	}

	/** The service's records for the recipient of a send; undefined if it has none or they cannot be read. */
	private async recordsFor(job: Job): Promise<IDataObject[] | undefined> {
		const { context, call, operation } = this.parts;
		const { recordLookUp } = operation;
		if (!recordLookUp || !job.plan) return undefined;
		const began = context.getExecutionContext()?.establishedAt ?? -Infinity;
		const since = (clock: ServiceClock) => clock.earliest(began);
		const selection = { limit: Infinity, since, anyZone: true };
		this.list ??= failureOr(readNewest(call, recordLookUp.list, selection));
		const all = await this.list;
		if (all instanceof Failure) return undefined;
		const recipient = this.listedRecipient(job);
		return all.filter((record) => recordLookUp.recipientIn(record) === recipient);
	}
}

const lostName = () =>
	new Failure(
		'This retry sent nothing: n8n does not show which run of the sub-workflow it repeats',
		{
			outcome: 'unknown',
			description:
				'Check what was sent, then run the workflow again for the rest. If the sends had keys (Send Only Once per Key), running it again does not repeat them.',
		},
	);

const changedCampaignAdvice =
	'Set recipients, template and sending number back to what they were, then retry this execution. Next time, give the campaign a key (Send Only Once per Key), or another key for other recipients. ';

const noCandidates =
	'The service lists no message for it yet, which does not show that nothing was sent. ';

const notLookedUpAdvice =
	'The node could not check whether an earlier attempt sent this. Once the error is fixed, press Retry in the list of executions to send only the rest.';
