import { size, union } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Call } from '../api/client';
import { Failure, failureOr, unknownAdvice } from '../api/failure';
import { readNewest } from '../api/newest';
import type { Operation } from '../operation';
import { failureOf, isChunk, sizeOf, type Job, type Result } from '../job';
import { keyOf, sendOf } from './identity';
import { Ledger, type Known } from './ledger';
import { Memory } from './memory';
import { rowOf } from './row';

export interface SendsParts {
	context: IExecuteFunctions;
	operation: Operation;
	/** Undefined if the credential cannot be read. */
	baseUrl: string | undefined;
	/** Whether sends of unknown fate are sent again. */
	isResent: boolean;
	/** How many sends are looked up at once, and a crash may leave open. */
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

	/** What the service lists since the execution began, read once. */
	private list: Promise<IDataObject[] | Failure> | undefined;

	constructor(private readonly parts: SendsParts) {
		this.memory = new Memory(parts.context, parts.operation);
	}

	/** Gives jobs the results of earlier attempts; `blocked` says why nothing can be sent now. */
	async find(jobs: Job[], blocked: Failure | undefined): Promise<void> {
		const { context, isResent } = this.parts;
		const { memory } = this;
		const left = jobs.filter(({ result }) => !result);
		this.identify(left);
		// An unplanned campaign may match any stored result.
		const isWhole = left.some(({ place }) => place === 'all');
		if (!isWhole) memory.keepOnly(left);
		for (const job of left) {
			const known = memory.recall(job);
			const isUnknown = known !== undefined && 'failure' in known;
			if (isUnknown && isResent) job.doubt = known.failure;
			else job.result = known;
		}
		const row = rowOf(context);
		const ledger = row && new Ledger(context, row, memory, isResent);
		const hasSharedChunks = jobs.some((job) => isChunk(job) && job.key !== undefined);
		const isAsked = ledger && (!memory.isComplete || hasSharedChunks);
		const asked = isAsked ? await failureOr(this.ask(left, ledger)) : undefined;
		this.ledger = ledger;
		for (const job of left) {
			const cause = job.failure ?? blocked ?? asked;
			if (!cause) continue;
			// An unplanned job can't be looked up.
			const isLost = ledger && !job.send && memory.saved.isLost;
			const mayBeSent = isLost || asked || (isWhole && size(memory.saved.answers) > 0);
			job.result ??= { failure: mayBeSent ? cause.asUnknown(notLookedUp) : cause };
		}
	}

	/** The result of a send in the ledger. */
	async resultOf(job: Job, known: Known): Promise<Result> {
		const { key, facts } = job;
		const isOwn = known === 'accepted' || known === 'unknown';
		const isAccepted = known === 'accepted' || known === 'byKey';
		const records = isOwn || known === 'unclear' ? await this.listed(job) : [];
		const outcome = isAccepted
			? {
					alreadySent: true,
					...(key !== undefined && { idempotencyKey: key }),
					...(records.length === 1 && { record: records[0] }),
				}
			: this.inDoubt(job, known, records);
		if (isOwn) this.memory.remember(job, outcome, '');
		if (isOwn) this.memory.spend(sizeOf(job));
		if (outcome instanceof Failure) return { failure: outcome, isEarlier: true };
		return { records: [{ ...outcome, ...facts }] };
	}

	/** Why the fate of a send is unknown, with what the service lists for its recipient. */
	inDoubt(job: Job, known: Known, candidates?: IDataObject[]): Failure {
		const { plan, key } = job;
		const whose = key === undefined ? '' : ` or execution (key "${key}")`;
		const message =
			known === 'unclear'
				? `An earlier attempt${whose} may have sent this or something else to the same recipient`
				: 'An earlier attempt was interrupted while sending: this may have arrived';
		const advice =
			isChunk(job) && known === 'unclear'
				? `Set recipients, template and Size of Requests back to what they were, then retry this execution. ${key === undefined ? 'Next time, give the campaign a key (Send Only Once per Key), so that a retry recognizes what was sent.' : 'For other recipients, use another key.'}`
				: '';
		return new Failure(message, {
			outcome: 'unknown',
			description: `${advice} ${plan ? unknownAdvice(plan.request) : ''}`.trim(),
			facts: { idempotencyKey: key, candidates },
		});
	}

	/** Gives sends their ids: the n-th of equal sends has the same id in each attempt. */
	private identify(jobs: Job[]): void {
		const { baseUrl } = this.parts;
		const { saved } = this.memory;
		const ofRun: Record<string, number> = {};
		for (const job of jobs) {
			const { key } = job;
			const send = sendOf(job);
			job.send = send;
			if (!send) continue;
			const { content, ids, to } = send;
			ids.push(`${saved.name} ${content} ${this.memory.count(content)}`);
			if (key === undefined || baseUrl === undefined) continue;
			const keyId = keyOf(baseUrl, key);
			if (!isChunk(job)) ids.push(keyId);
			else {
				// All chunks of a campaign share its key; each id extends it.
				const number = (ofRun[content] = (ofRun[content] ?? 0) + 1);
				ids.push(`${keyId} ${content} ${number}`);
				to.push(keyId);
			}
		}
	}

	private async ask(jobs: Job[], ledger: Ledger): Promise<undefined> {
		if (this.memory.saved.name === undefined)
			throw new Failure("n8n can't tell which call of this sub-workflow was interrupted", {
				outcome: 'unknown',
				description:
					'Check what was sent, then run the workflow again for the rest. With Send Only Once per Key, a retry recognizes what was sent.',
			});
		const asked = jobs.flatMap(({ result, send }) => (!result && send ? [send] : []));
		const doubts = new Set(jobs.flatMap(({ doubt, send }) => (doubt && send ? [send] : [])));
		const found = await ledger.find(asked, doubts, this.parts.atOnce);
		const knownOf = ({ send }: Job): Known => (send && found.get(send)) ?? 'new';
		for (const job of jobs) {
			const known = knownOf(job);
			if (known === 'again') {
				if (!job.doubt) this.memory.spend(sizeOf(job));
				job.doubt ??= this.inDoubt(job, known);
			} else if (known !== 'new') job.result = await this.resultOf(job, known);
		}
		// Decided sends may have new keys, to be counted from now on. An unclear chunk may differ from the
		// sent one.
		const decided = jobs.filter(
			(job) => job.result && !(isChunk(job) && knownOf(job) === 'unclear'),
		);
		await ledger.noteKeys(
			decided.map((job) => [job.send, failureOf(job) ? 'unknown' : 'accepted']),
		);
		for (const { place, send } of decided) {
			const answer = this.memory.saved.answers[place];
			if (answer && send) answer.to = union(answer.to, send.to);
		}
	}

	/** What the service lists for the recipient of a send, as far as it can be read. */
	private async listed({ plan }: Job): Promise<IDataObject[]> {
		const { context, call, operation } = this.parts;
		const { records } = operation;
		if (!records || !plan) return [];
		const since = context.getExecutionContext()?.establishedAt;
		this.list ??= failureOr(readNewest(call, records.list, { limit: Infinity, since }));
		const all = await this.list;
		const recipient = records.recipientOf(plan.request);
		return all instanceof Failure
			? []
			: all.filter((record) => records.recipientIn(record) === recipient);
	}
}

const notLookedUp =
	'The node could not check whether an earlier attempt sent this. Once the error is fixed, retry this execution: that sends only the rest.';
