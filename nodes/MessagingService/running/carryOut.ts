import { chunk, sumBy } from 'lodash';
import { sleep, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { pathOf, type Call } from '../api/client';
import { withDeadline } from '../api/deadline';
import { Failure, failureOr, isRead, isUnsent, type Outcome } from '../api/failure';
import { noteOwnMessage } from '../remembered/ownMessages';
import { limiter } from '../limiter';
import { recordsOf, type Operation, type Plan } from '../operation';
import { sizeOf, type Job } from '../job';
import type { Earlier } from '../sending/ledger';
import type { Sends } from '../sending/sends';
import { Order } from './order';
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
 * Carries out the jobs that have no result yet, never more than `batchSize` requests at once, and gives each its
 * result. After a stop nothing new starts; what is in flight is awaited.
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
	await carrier.followedUp();
	const cause = carrier.endFailure ?? (signal?.aborted ? executionStopped() : undefined);
	if (cause) for (const job of jobs) job.result ??= { failure: cause };
}

/** Whether a job stops a run that does not continue on fail. */
export const isStopping = ({ result }: Job): boolean =>
	result !== undefined && 'failure' in result && !result.continues;

/**
 * Its modes. In all but the first, nothing new starts; what was accepted is followed in all:
 * - sending
 * - stopped (`isStopped`): a job failed without Continue on Fail; the rest gets no result
 * - ended (`endFailure`): no time is left, or n8n's database cannot note sends; the rest fails with this
 * - aborted (the signal of the execution): n8n stopped it; the rest fails with `executionStopped`
 */
class Carrier {
	/** Why the rest of the run is not sent: no time is left, or n8n's database cannot note it. */
	endFailure: Failure | undefined;

	private isStopped: boolean;

	private readonly inSlot: ReturnType<typeof limiter>;

	/** The responses to accepted requests that something follows, such as a wait for a status. */
	private readonly accepted = new Map<Job, IDataObject>();

	private readonly following: Array<Promise<void>> = [];

	/** Limits the waits; shared, because each would add a listener to the signal of the execution. */
	private readonly inTime: ReturnType<typeof withDeadline>;

	/** Responses to reads that other jobs may need: equal reads are made once. */
	private readonly reads = new Map<string, { response: Promise<IDataObject>; uses: number }>();

	/**
	 * @param hasFailed whether a job has failed already, which stops the run
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
		this.inTime = withDeadline(parts.context.getExecutionCancelSignal());
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
		const size = sends?.ledger ? groupSize : Infinity;
		const most = operation.kind === 'joined' ? size : 2 * size;
		const order = new Order(batch, this.parts.settings.batchSize === 1);
		/** Jobs in flight: at most those of two groups, or of one if the operation is joined. */
		let open = 0;
		const groups: Array<Promise<void>> = [];
		for (;;) {
			const group = order.take(Math.min(size, most - open));
			if (group.length === 0) {
				if (order.isOver) break;
				await order.nextChange();
				continue;
			}
			if (this.mustStop()) break;
			const noted = sends?.ledger?.begin(group.flatMap(({ send }) => send ?? []));
			const known = await failureOr(noted ?? Promise.resolve([]));
			if (known instanceof Failure) {
				this.endFailure ??= known;
				break;
			}
			open += group.length;
			const carriedOut = this.carryOutGroup(group, known, order).finally(() => {
				open -= group.length;
				order.changed();
			});
			groups.push(carriedOut);
		}
		await Promise.all(groups);
	}

	/** Ends with what follows the accepted requests. */
	async followedUp(): Promise<void> {
		await Promise.all(this.following);
	}

	private async carryOutGroup(
		group: Job[],
		known: Array<Earlier | undefined>,
		order: Order,
	): Promise<void> {
		const ended = group.map(async (job, n): Promise<[Job['send'], Outcome]> => {
			const work = async () => await this.carryOutOne(job, known[n]);
			// An error also settles the send, as unknown, so that no other run keeps waiting for its ids.
			const outcome = await this.inSlot(work).catch((error: unknown): Outcome => {
				job.result = { failure: asFailure(error) };
				return 'unknown';
			});
			this.isStopped ||= !this.parts.continueOnFail && isStopping(job);
			if (!job.plan?.holdsRecipient) order.end(job);
			return [job.send, outcome];
		});
		const all = await Promise.all(ended);
		await this.parts.sends?.ledger?.settle(all);
		// What follows can take minutes, in which n8n may be killed, so the sends are settled first.
		for (const job of group) {
			const accepted = this.accepted.get(job);
			const followed = accepted ? this.follow(job, accepted) : Promise.resolve();
			if (accepted) this.following.push(followed);
			if (job.plan?.holdsRecipient) void followed.then(() => order.end(job));
		}
	}

	private async carryOutOne(job: Job, earlier: Earlier | undefined): Promise<Outcome> {
		const { sends, settings } = this.parts;
		if (sends && earlier && !earlier.isResent) {
			job.result = await sends.resultOf(job, earlier);
			return 'notSent';
		}
		// An earlier unknown send was already counted.
		const size = job.earlierUnknown ? 0 : sizeOf(job);
		if (earlier) job.earlierUnknown ??= sends?.unknownOf(job, earlier);
		if (!job.plan || this.mustStop()) return 'notSent';
		const isWithinLimit = sends?.memory.reserve(size, settings.maxSends) ?? true;
		if (!isWithinLimit) {
			job.result = { failure: tooMany(this.wanted, settings.maxSends) };
			return 'notSent';
		}
		const { plan } = job;
		const outcome = await (isRead(plan.request) ? this.read(job, plan) : this.send(job, plan));
		if (isUnsent(outcome)) sends?.memory.reserve(-size);
		return outcome;
	}

	private async read(job: Job, { request, readAll }: Plan): Promise<Outcome> {
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
		return 'notSent';
	}

	/** Sends a request; gives the job no result if the run stopped before the request went out. */
	private async send(job: Job, plan: Plan): Promise<Outcome> {
		const { sends, operation, call } = this.parts;
		if (this.mustStop()) return 'notSent';
		const preparing = plan.prepare?.(call) ?? Promise.resolve(plan.request);
		const request = await asNotSent(preparing).catch(asFailure);
		if (request instanceof Failure) job.result = { failure: request };
		if (request instanceof Failure || this.mustStop()) return 'notSent';
		const response: IDataObject | Failure = await call(request).catch(asFailure);
		if (response instanceof Failure) {
			const failure = operation.billable ? response.ofSend() : response;
			job.result = { failure };
			if (failure.outcome === 'unknown') sends?.memory.remember(job, failure);
			return failure.outcome;
		}
		noteOwnMessage(this.parts.context, response);
		sends?.memory.remember(job, response);
		if (plan.follow) this.accepted.set(job, response);
		else job.result = { records: recordsOf(operation, response, job.facts) };
		return 'accepted';
	}

	/** Gives an accepted job its final result. Errors after the acceptance do not fail it. */
	private async follow(job: Job, accepted: IDataObject): Promise<void> {
		const { sends, operation, followUp, timeLimit } = this.parts;
		const call: Call = async (...args) => await this.inSlot(async () => await followUp(...args));
		const followed = job.plan?.follow?.(accepted, call, this.inTime, timeLimit.left());
		const response = await Promise.resolve(followed ?? accepted).catch(
			(error: unknown): IDataObject => ({
				...accepted,
				ended: false,
				waitStopped: asFailure(error).message,
			}),
		);
		sends?.memory.remember(job, response);
		try {
			job.result = { records: recordsOf(operation, response, job.facts) };
		} catch (error) {
			job.result = { failure: asFailure(error) };
		}
	}
}

const executionStopped = (): Failure =>
	new Failure('The execution was stopped before this was sent', {
		outcome: 'notSent',
		description: 'When you send the rest, leave out the items that were sent.',
	});

const tooMany = (wanted: number, most: number): Failure =>
	new Failure(`Max Sends per Execution is ${most}, but this execution needs ${wanted}`, {
		outcome: 'notSent',
		isOfRun: true,
		description:
			"Raise the option 'Max Sends per Execution' to send more. If you expected fewer sends, look for a loop, an agent or more input items.",
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
