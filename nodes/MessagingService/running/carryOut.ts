import { chunk, sumBy } from 'lodash';
import { sleep, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { pathOf, type Call } from '../api/client';
import { Failure, failureOr, isRead } from '../api/failure';
import { noteOwnMessage } from '../api/ownMessages';
import { limiter } from '../limiter';
import { recordsOf, type Operation, type Plan } from '../operation';
import { sizeOf, type Job } from '../job';
import type { Fate, Verdict } from '../sending/ledger';
import type { Sends } from '../sending/sends';
import { outOfTime, type Settings, type TimeLimit } from './settings';

interface RunParts {
	context: IExecuteFunctions;
	operation: Operation;
	settings: Settings;
	call: Call;
	/** For reads after an accepted request. */
	followUp: Call;
	/** For requests that cost money. */
	sends?: Sends;
	timeLimit: TimeLimit;
	/** Sends that are noted together; twice as many may be uncertain after a crash. */
	groupSize: number;
	continueOnFail: boolean;
}

/**
 * Carries out the jobs that have no result yet, in order and never more than `batchSize` at once, and gives
 * each its result. After a stop nothing new starts; what is in flight is awaited.
 */
export async function carryOut(jobs: Job[], parts: RunParts): Promise<void> {
	const { batchSize, batchInterval } = parts.settings;
	const signal = parts.context.getExecutionCancelSignal();
	const pending = jobs.filter(({ result }) => !result);
	const wanted = (parts.sends?.memory.saved.reached ?? 0) + sumBy(pending, sizeOf);
	const carrier = new Carrier(parts, jobs.some(isStopping), wanted, pending.length);
	const batches = batchInterval === 0 ? [pending] : chunk(pending, batchSize);
	for (const [number, batch] of batches.entries()) {
		const pause = number > 0 ? batchInterval : 0;
		if (carrier.mustStop(pause)) break;
		// If n8n stops the execution, the pause ends early.
		if (pause > 0) await sleep(pause, signal).catch(() => {});
		await carrier.carryOutBatch(batch);
	}
	const cause = carrier.endFailure ?? (signal?.aborted ? executionStopped() : undefined);
	if (cause) for (const job of jobs) job.result ??= { failure: cause };
}

/** Whether a job stops a run that does not continue on fail. */
export const isStopping = ({ result }: Job): boolean =>
	result !== undefined && 'failure' in result && !result.continues;

class Carrier {
	/** Why the rest of the run is not sent: no time is left, or n8n's database cannot note it. */
	endFailure: Failure | undefined;

	private isStopped: boolean;

	private readonly inSlot: ReturnType<typeof limiter>;

	/** The end of the last send of each queue, by queue name. */
	private readonly queues = new Map<string, Promise<unknown>>();

	/** Responses to reads that other jobs may need: equal reads are made once. */
	private readonly reads = new Map<string, { response: Promise<IDataObject>; uses: number }>();

	/**
	 * @param hasFailed whether a check failed, or an earlier try of this execution (Retry On Fail) left a send
	 * unknown
	 * @param wanted what the execution needs of Max Sends with this run
	 * @param readers number of jobs, of which each needs a response once
	 */
	constructor(
		private readonly parts: RunParts,
		hasFailed: boolean,
		private readonly wanted: number,
		private readonly readers: number,
	) {
		this.isStopped = hasFailed && !parts.continueOnFail;
		this.inSlot = limiter(parts.settings.batchSize);
	}

	/** @param delay milliseconds until the next batch starts */
	mustStop(delay?: number): boolean {
		const { context, operation, settings, timeLimit } = this.parts;
		if (this.isStopped || context.getExecutionCancelSignal()?.aborted) return true;
		if (operation.billable && timeLimit.leavesNoTime(settings.timeout, delay))
			this.endFailure ??= outOfTime();
		return this.endFailure !== undefined;
	}

	/**
	 * Noting rewrites the node's whole row in n8n's database, so sends are noted in groups: while one group is
	 * being sent, the next is noted.
	 */
	async carryOutBatch(batch: Job[]): Promise<void> {
		const { operation, groupSize, sends } = this.parts;
		/** The groups in flight, oldest first: at most two, or one if the operation is joined. */
		const inFlight: Array<Promise<void>> = [];
		for (const group of sends?.ledger ? groupsOf(batch, groupSize) : [batch]) {
			if (inFlight.length === (operation.kind === 'joined' ? 1 : 2)) await inFlight.shift();
			if (this.mustStop()) break;
			const noted = sends?.ledger?.begin(group.flatMap(({ send }) => send ?? []));
			const verdicts = await failureOr(noted ?? Promise.resolve([]));
			if (verdicts instanceof Failure) {
				this.endFailure ??= verdicts;
				break;
			}
			inFlight.push(this.carryOutGroup(group, verdicts));
		}
		await Promise.all(inFlight);
	}

	private async carryOutGroup(group: Job[], verdicts: Verdict[]): Promise<void> {
		const ended = group.map(async (job, n): Promise<[Job['send'], Fate]> => {
			const work = async () => await this.carryOutOne(job, verdicts[n] ?? 'new');
			// An error also settles the send, as unknown, so that no other run keeps waiting for its ids.
			const fate = await this.inSlot(work).catch((error: unknown): Fate => {
				job.result = { failure: asFailure(error) };
				return 'unknown';
			});
			return [job.send, fate];
		});
		const all = await Promise.all(ended);
		await this.parts.sends?.ledger?.settle(all);
	}

	private async carryOutOne(job: Job, verdict: Verdict): Promise<Fate> {
		const { sends, settings, continueOnFail } = this.parts;
		if (sends && verdict !== 'new' && verdict !== 'resend') {
			job.result = await sends.resultOf(job, verdict);
			return 'nothingSent';
		}
		// An earlier unknown send was already counted.
		const size = job.earlierUnknown ? 0 : sizeOf(job);
		if (verdict === 'resend') job.earlierUnknown ??= sends?.unknownOf(job, verdict);
		if (!job.plan || this.mustStop()) return 'nothingSent';
		const isWithinLimit = sends?.memory.reserve(size, settings.maxSends) ?? true;
		const fate = isWithinLimit ? await this.inTurn(job, job.plan) : 'nothingSent';
		if (!isWithinLimit) job.result = { failure: tooMany(this.wanted, settings.maxSends) };
		else if (fate === 'nothingSent') sends?.memory.reserve(-size);
		this.isStopped ||= !continueOnFail && isStopping(job);
		return fate;
	}

	/** Carries out a job after the earlier jobs of its queue. */
	private async inTurn(job: Job, plan: Plan): Promise<Fate> {
		if (isRead(plan.request)) return await this.read(job, plan);
		const { queue = '' } = plan;
		const earlier = this.queues.get(queue) ?? Promise.resolve();
		const turn = earlier.then(async () => await this.send(job, plan));
		const ended = turn.catch(() => {});
		if (queue !== '') this.queues.set(queue, ended);
		return await turn;
	}

	private async read(job: Job, { request, readAll }: Plan): Promise<Fate> {
		const readOnce: Call = async (one, { fresh = false } = {}) => {
			if (fresh) return await this.parts.call(one);
			const key = JSON.stringify([pathOf(one), one.query]);
			const { response, uses } = this.reads.get(key) ?? { response: this.parts.call(one), uses: 0 };
			if (uses + 1 < this.readers) this.reads.set(key, { response, uses: uses + 1 });
			else this.reads.delete(key);
			return await response;
		};
		try {
			const all = await readAll?.(readOnce);
			const records = all ?? recordsOf(this.parts.operation, await readOnce(request));
			job.result = { records };
		} catch (error) {
			job.result = { failure: asFailure(error) };
		}
		return 'nothingSent';
	}

	/** Sends a request; gives the job no result if the run stopped before the request went out. */
	private async send(job: Job, plan: Plan): Promise<Fate> {
		const { context, sends, operation, call, followUp, timeLimit } = this.parts;
		if (this.mustStop()) return 'nothingSent';
		const preparing = plan.prepare?.(call) ?? Promise.resolve(plan.request);
		const request = await asNotSent(preparing).catch(asFailure);
		if (request instanceof Failure) job.result = { failure: request };
		if (request instanceof Failure || this.mustStop()) return 'nothingSent';
		let response: IDataObject | Failure = await call(request).catch(asFailure);
		if (response instanceof Failure) {
			const failure = operation.billable ? response.ofSend() : response;
			job.result = { failure };
			if (failure.outcome !== 'unknown') return 'nothingSent';
			sends?.memory.remember(job, failure);
			return 'unknown';
		}
		noteOwnMessage(context, response);
		sends?.memory.remember(job, response);
		if (plan.follow) {
			// The send is settled first: `follow` can take minutes, in which n8n may be killed and other runs
			// may wait for this send.
			await sends?.ledger?.settle([[job.send, 'accepted']]);
			// Once the service has accepted a request, later errors don't fail it.
			const accepted = response;
			response = await plan
				.follow(response, followUp, context.getExecutionCancelSignal(), timeLimit.left())
				.catch((error: unknown): IDataObject => ({
					...accepted,
					ended: false,
					waitStopped: asFailure(error).message,
				}));
			sends?.memory.remember(job, response);
		}
		job.result = { records: recordsOf(operation, response, job.facts) };
		return 'accepted';
	}
}

/** Jobs that are noted together: at most `size`, no key twice. */
function groupsOf(jobs: Job[], size: number): Job[][] {
	const all: Job[][] = [];
	for (const job of jobs) {
		const last = all.at(-1);
		const isTwice = job.key !== undefined && last?.some(({ key }) => key === job.key);
		if (!last || last.length === size || isTwice) all.push([job]);
		else last.push(job);
	}
	return all;
}

const executionStopped = (): Failure =>
	new Failure('The execution was stopped before this was sent', {
		outcome: 'notSent',
		description: 'When you send the rest, leave out the items that were sent.',
	});

const tooMany = (wanted: number, most: number): Failure =>
	new Failure(`Max Sends is ${most}, but this execution needs ${wanted}`, {
		outcome: 'notSent',
		isOfRun: true,
		description:
			'Raise the option Max Sends to send more. If you expected fewer sends, look for a loop, an agent or more input items.',
	});

/** If a free request before the billable one ends as `unknown`, the billable one was certainly not sent. */
export async function asNotSent<T>(request: Promise<T>): Promise<T> {
	return await request.catch((error: unknown) => {
		const failure = asFailure(error);
		if (failure.outcome !== 'unknown') throw failure;
		throw new Failure(failure.message, { ...failure, outcome: 'notSent' });
	});
}

/** Errors other than Failure may come after a request was sent. */
function asFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(error instanceof Error ? error.message : String(error), {
		outcome: 'unknown',
		description:
			'Check with the service whether the request was carried out. If this happens again, report it to the maintainers of the node.',
	});
}
