import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure, failureOr, unknownAdvice } from '../api/failure';
import type { Operation } from '../operation';
import { failureOf, isChunk, type Job, type Result } from '../job';
import { sourceOf } from './identity';
import { identify, Ledger, type Known } from './ledger';
import { Memory } from './memory';

export interface SendsParts {
	context: IExecuteFunctions;
	operation: Operation;
	/** The service that sends go through; undefined where that cannot be told. */
	service: string | undefined;
	/** Whether what may have been sent is sent again. */
	isResent: boolean;
	/** Sends that go out at once. */
	atOnce: number;
}

/**
 * What is known of the sends of a run from earlier tries and other executions, and what this one leaves
 * (docs/contract.md, sections 4.3 to 4.5).
 */
export class Sends {
	readonly memory: Memory;

	/** Absent where nothing is noted: before all is asked for, and in a workflow that was never saved. */
	ledger: Ledger | undefined;

	constructor(private readonly parts: SendsParts) {
		this.memory = new Memory(parts.context, parts.operation);
	}

	/** Tells what became of jobs, before anything is sent; `blocked` says why none can be sent now. */
	async find(jobs: Job[], blocked: Failure | undefined): Promise<void> {
		const { context, service, isResent } = this.parts;
		const { memory } = this;
		const left = jobs.filter(({ result }) => !result);
		for (const job of left) {
			job.source = service === undefined ? undefined : sourceOf(job, service);
			const known = memory.recall(job);
			const isInDoubt = known && 'failure' in known;
			if (isInDoubt && isResent) job.doubt = known.failure;
			else job.result = known;
		}
		if (service !== undefined) identify(jobs, memory, service);
		const ledger = Ledger.of(context, memory, isResent);
		const isAsked = !memory.isComplete || jobs.some((job) => isChunk(job) && job.key !== undefined);
		const isUnnamed = memory.saved.name === undefined;
		const asked =
			isUnnamed && ledger
				? ambiguous()
				: isAsked && ledger
					? await failureOr(this.ask(left, ledger))
					: undefined;
		this.ledger = ledger;
		const { isLost } = memory.saved;
		for (const job of left) {
			const cause = job.failure ?? blocked ?? asked;
			// What cannot be read is known by nothing; a campaign is all of its chunks.
			const isUnread = ledger && !job.send && (isLost || (service === undefined && isAsked));
			const isUnknown = isUnread || asked || (job.place === 'all' && !memory.isEmpty);
			if (cause) job.result ??= { failure: isUnknown ? notLookedUp(cause) : cause };
		}
	}

	private async ask(jobs: Job[], ledger: Ledger): Promise<undefined> {
		const asked = jobs.filter(({ result, send }) => !result && send);
		const sends = asked.flatMap(({ send }) => send ?? []);
		const known = await ledger.find(sends, this.parts.atOnce);
		for (const [n, job] of asked.entries()) {
			const one = known[n] ?? 'new';
			if (one === 'unknown' && this.parts.isResent) job.doubt ??= inDoubt(job);
			else if (one !== 'new') job.result = this.tell(job, one);
		}
	}

	/** The result of a send of which the ledger knows that it went out or may have. */
	tell(job: Job, known: Known): Result {
		const { key, facts } = job;
		const isAccepted = known === 'accepted' || known === 'byKey';
		const failure = isAccepted ? undefined : inDoubt(job);
		const response: IDataObject = {
			alreadySent: true,
			...(key !== undefined && { idempotencyKey: key }),
		};
		if (known === 'accepted' || known === 'unknown')
			this.memory.remember(job, failure ?? response, '');
		if (failure) return { failure, isEarlier: true };
		return { records: [{ ...response, ...facts }] };
	}

	readonly inDoubt = inDoubt;

	/** What was in doubt before and was not accepted now stays so (docs/contract.md, section 4.4). */
	keepDoubts(jobs: Job[]): void {
		// Nobody can retry what is no execution: n8n's MCP server calls a tool without an id.
		if (!this.parts.context.getExecutionId()) void this.ledger?.forget();
		for (const job of jobs) {
			const failure = failureOf(job);
			if (job.doubt && !job.result) job.result = { failure: job.doubt, isEarlier: true };
			else if (job.doubt && failure && failure.outcome !== 'unknown')
				job.result = { failure: asUnknown(failure, stillInDoubt) };
		}
	}

	/** Forgets a run that has ended well: n8n has its output, and no retry will ask for it. */
	end(): void {
		this.memory.end();
		this.ledger?.forgetAtEnd();
	}
}

const stillInDoubt = 'An earlier request for this may have arrived: it stays in doubt.';

const inDoubt = (job: Job): Failure => {
	const { plan, key } = job;
	const whose = key === undefined ? 'An earlier try of this execution' : `An execution with the key "${key}"`;
	const campaign =
		'Set recipients, template and chunk size back to what they were and press Retry of the same execution.';
	return new Failure(`${whose} may have sent this, or something else to the same recipient`, {
		outcome: 'unknown',
		description: `${isChunk(job) ? campaign : ''} ${plan ? unknownAdvice(plan.request) : ''}`.trim(),
		facts: { idempotencyKey: key },
	});
};

const ambiguous = (): Failure =>
	new Failure('n8n does not tell which execution of this sub-workflow was cut off', {
		outcome: 'unknown',
		description:
			'Look up what was sent, then run the workflow again for the rest. With Send Only Once per Key this is known.',
	});

/** The failure of something of which nobody can tell now whether an earlier try has sent it. */
const notLookedUp = (failure: Failure): Failure =>
	asUnknown(
		failure,
		'What an earlier try of this execution has sent could not be looked up. Once this is mended, press Retry of the execution that was cut off or has failed: what was sent is not sent again.',
	);

/** A failure of what may have been sent all the same. */
const asUnknown = ({ message, ...others }: Failure, addition: string): Failure =>
	new Failure(message, {
		...others,
		outcome: 'unknown',
		description: `${others.description} ${addition}`,
	});
