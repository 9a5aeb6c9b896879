import { chunk, sumBy } from 'lodash';
import { sleep, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { pathOf, type Call } from '../api/client';
import { Failure, failureOr, isRead } from '../api/failure';
import { limiter } from '../limiter';
import { recordsOf, type Operation, type Plan } from '../operation';
import { sizeOf, type Job, type Result } from '../job';
import type { Fate, Verdict } from '../sending/ledger';
import type { Sends } from '../sending/sends';
import type { EventSends } from './eventSends';
import { outOfTime, type Settings, type TimeLimit } from './settings';

/** Everything needed to carry out jobs. */
export interface RunParts {
	context: IExecuteFunctions;
	operation: Operation;
	settings: Settings;
	call: Call;
	/** For reads after an accepted request. */
	followUp: Call;
	/** For requests that cost money. */
	sends?: Sends;
	eventSends?: EventSends;
	timeLimit: TimeLimit;
	/** Sends that are noted together; twice as many may be uncertain after a crash. */
	groupSize: number;
	continueOnFail: boolean;
}

/**
 * Carries out the jobs that have no result yet, in order and never more than `batchSize` at once, and gives
 * each its result. Noting rewrites the node's whole row in n8n's database, so sends are noted in groups:
 * while one group is being sent, the next is noted. After a stop nothing new starts; what is in flight is
 * awaited.
 */
export async function carryOut(jobs: Job[], parts: RunParts): Promise<void> {
	const { context, operation, settings, sends, eventSends, timeLimit, continueOnFail } = parts;
	const { batchSize, batchInterval, timeout, maxSends } = settings;
	const ledger = sends?.ledger;
	const signal = context.getExecutionCancelSignal();
	// The run does not start if a check failed, or if an earlier try of this execution (Retry On Fail) left a
	// send unknown.
	let isStopped = !continueOnFail && jobs.some(isStopping);
	/** Why the rest of the run is not sent: no time is left, or n8n's database cannot note it. */
	let endFailure: Failure | undefined;
	/** @param delay milliseconds until the next batch starts */
	const mustStop = (delay?: number): boolean => {
		if (isStopped || signal?.aborted) return true;
		if (operation.billable && timeLimit.leavesNoTime(timeout, delay)) endFailure ??= outOfTime();
		return endFailure !== undefined;
	};
	const pending = jobs.filter(({ result }) => !result);
	const wanted = (sends?.memory.saved.reached ?? 0) + sumBy(pending, sizeOf);
	const sender = new Sender(parts, mustStop);
	const inSlot = limiter(batchSize);

	const carryOutOne = async (job: Job, verdict: Verdict): Promise<Fate> => {
		if (sends && verdict !== 'new' && verdict !== 'resend') {
			job.result = await sends.resultOf(job, verdict);
			return 'nothingSent';
		}
		// An earlier unknown send was already counted.
		const size = job.earlierUnknown ? 0 : sizeOf(job);
		if (verdict === 'resend') job.earlierUnknown ??= sends?.unknownOf(job, verdict);
		if (mustStop()) return 'nothingSent';
		if (sends?.memory.reserve(size, maxSends) === false) {
			job.result = { failure: tooMany(wanted, maxSends) };
			isStopped ||= !continueOnFail;
			return 'nothingSent';
		}
		const begun = eventSends?.begin(job);
		if (begun?.failure) {
			sends?.memory.reserve(-size);
			job.result = { failure: begun.failure, continues: true };
			return 'nothingSent';
		}
		const { result, fate } = await sender.send(job);
		if (fate === 'nothingSent') {
			sends?.memory.reserve(-size);
			begun?.undo();
		}
		job.result = result;
		isStopped ||= !continueOnFail && isStopping(job);
		return fate;
	};

	const carryOutGroup = async (group: Job[], verdicts: Verdict[]): Promise<void> => {
		const ended = group.map(async (job, n): Promise<[Job['send'], Fate]> => {
			const one = async () => await carryOutOne(job, verdicts[n] ?? 'new');
			// An error also settles the send, as unknown, so that no other run keeps waiting for its ids.
			const fate = await inSlot(one).catch((error: unknown): Fate => {
				job.result = { failure: asFailure(error) };
				return 'unknown';
			});
			return [job.send, fate];
		});
		const all = await Promise.all(ended);
		await ledger?.settle(all);
	};

	const carryOutBatch = async (batch: Job[]): Promise<void> => {
		/** The groups in flight, oldest first: at most two, or one if the operation is joined. */
		const inFlight: Array<Promise<void>> = [];
		for (const group of ledger ? groupsOf(batch, parts.groupSize) : [batch]) {
			if (inFlight.length === (operation.kind === 'joined' ? 1 : 2)) await inFlight.shift();
			if (mustStop()) break;
			const verdicts = await failureOr(
				ledger?.begin(group.flatMap(({ send }) => send ?? [])) ?? Promise.resolve([]),
			);
			if (verdicts instanceof Failure) {
				endFailure ??= verdicts;
				break;
			}
			inFlight.push(carryOutGroup(group, verdicts));
		}
		await Promise.all(inFlight);
	};

	const batches = batchInterval === 0 ? [pending] : chunk(pending, batchSize);
	for (const [number, batch] of batches.entries()) {
		const pause = number > 0 ? batchInterval : 0;
		if (mustStop(pause)) break;
		// If n8n stops the execution, the pause ends early.
		if (pause > 0) await sleep(pause, signal).catch(() => {});
		await carryOutBatch(batch);
	}
	const cause = endFailure ?? (signal?.aborted ? executionStopped() : undefined);
	if (cause) for (const job of jobs) job.result ??= { failure: cause };
}

/** Whether a job stops a run that does not continue on fail. */
export const isStopping = ({ result }: Job): boolean =>
	result !== undefined && 'failure' in result && !result.continues;

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

/** Makes the requests of one run; equal reads are made once. */
class Sender {
	/** The last job of each queue, by queue name. */
	private readonly queues = new Map<string, Promise<unknown>>();

	/** Makes identical reads of a run once. */
	private readonly readOnce: Call;

	/** @param mustStop whether the run must stop; checked before preparing and sending */
	constructor(
		private readonly parts: RunParts,
		private readonly mustStop: () => boolean,
	) {
		this.readOnce = memoized(parts.call);
	}

	/**
	 * Carries out a job.
	 *
	 * @returns no result if it was stopped before the request went out
	 * @throws what an operation throws; the request may have left by then
	 */
	async send(job: Job): Promise<{ result?: Result; fate: Fate }> {
		const { plan } = job;
		if (!plan) return { fate: 'nothingSent' };
		if (isRead(plan.request)) return await this.read(plan).catch(failedResult);
		const last = plan.queue === undefined ? undefined : this.queues.get(plan.queue);
		const turn = Promise.resolve(last).then(async () => await this.sendNow(job, plan));
		if (plan.queue !== undefined)
			this.queues.set(
				plan.queue,
				turn.catch(() => {}),
			);
		return await turn;
	}

	private async read({ request, readAll }: Plan): Promise<{ result: Result; fate: Fate }> {
		const all = await readAll?.(this.readOnce);
		const records = all ?? recordsOf(this.parts.operation, await this.readOnce(request));
		return { result: { records }, fate: 'nothingSent' };
	}

	private async sendNow(job: Job, plan: Plan): Promise<{ result?: Result; fate: Fate }> {
		const { context, sends, operation, call, followUp, timeLimit } = this.parts;
		const memory = sends?.memory;
		if (this.mustStop()) return { fate: 'nothingSent' };
		const prepared = await asNotSent(plan.prepare?.(call) ?? Promise.resolve(plan.request)).catch(
			asFailure,
		);
		if (prepared instanceof Failure) return failedResult(prepared);
		if (this.mustStop()) return { fate: 'nothingSent' };
		let response: IDataObject | Failure = await call(prepared).catch(asFailure);
		if (response instanceof Failure) {
			const failure = operation.billable ? response.ofSend() : response;
			if (failure.outcome !== 'unknown') return failedResult(failure);
			memory?.remember(job, failure);
			return { result: { failure }, fate: 'unknown' };
		}
		memory?.remember(job, response);
		if (plan.follow) {
			// The send is settled first: `follow` can take minutes, in which n8n may be killed and other runs
			// may wait for this send.
			await sends?.ledger?.settle([[job.send, 'accepted']]);
			// Once the service has accepted a request, later errors don't fail it.
			const accepted = response;
			const signal = context.getExecutionCancelSignal();
			response = await plan
				.follow(response, followUp, signal, timeLimit.left())
				.catch((error: unknown): IDataObject => ({
					...accepted,
					ended: false,
					waitStopped: asFailure(error).message,
				}));
			memory?.remember(job, response);
		}
		return { result: { records: recordsOf(operation, response, job.facts) }, fate: 'accepted' };
	}
}

const failedResult = (error: unknown): { result: Result; fate: Fate } => ({
	result: { failure: asFailure(error) },
	fate: 'nothingSent',
});

/** If a free request before the billable one ends as `unknown`, the billable one was certainly not sent. */
export async function asNotSent<T>(request: Promise<T>): Promise<T> {
	return await request.catch((error: unknown) => {
		const failure = asFailure(error);
		if (failure.outcome !== 'unknown') throw failure;
		throw new Failure(failure.message, { ...failure, outcome: 'notSent' });
	});
}

/** Makes equal requests once. */
function memoized(call: Call): Call {
	const responses = new Map<string, Promise<IDataObject>>();
	return async (request, { fresh = false } = {}) => {
		if (fresh) return await call(request);
		const key = JSON.stringify([pathOf(request), request.query]);
		const response = responses.get(key) ?? call(request);
		responses.set(key, response);
		return await response;
	};
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
