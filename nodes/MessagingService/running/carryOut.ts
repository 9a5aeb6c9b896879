import { chunk } from 'lodash';
import { sleep, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import pLimit from 'p-limit';
import { pathOf, type Call } from '../api/client';
import { Failure, failureOr, isRead } from '../api/failure';
import type { Operation, Plan } from '../operation';
import { isStopping, recordsOf, sizeOf, type Job, type Result } from '../job';
import type { Fate, Known } from '../sending/ledger';
import type { Sends } from '../sending/sends';
import { inDoubtAt, outOfTime, type Settings, type TimeLimit } from './settings';

/** What the jobs of a run are carried out with. */
export interface Means {
	context: IExecuteFunctions;
	operation: Operation;
	settings: Settings;
	call: Call;
	/** For what is asked once a request was accepted. */
	look: Call;
	/** For requests that cost money. */
	sends?: Sends;
	timeLimit: TimeLimit;
	continueOnFail: boolean;
}

/**
 * Carries out the jobs that have no result yet, in order and never more than `batchSize` at once, and
 * gives each its result. They are noted in groups, beside the work on those before, because each note
 * rewrites n8n's row. Nothing new starts once the run is stopped; what is under way is awaited.
 */
export async function carryOut(jobs: Job[], means: Means): Promise<void> {
	const { context, operation, settings, sends, timeLimit, continueOnFail } = means;
	const { batchSize, batchInterval, timeout, maxSends } = settings;
	const ledger = sends?.ledger;
	const signal = context.getExecutionCancelSignal();
	// What could not be planned stops the run, and so does what this execution has in doubt.
	let isStopped = !continueOnFail && jobs.some(isStopping);
	let isOutOfTime = false;
	/** Where n8n's database cannot note anything, nothing is sent. */
	let refusal: Failure | undefined;
	/** @param ahead milliseconds until something would start */
	const stopped = (ahead?: number) => {
		isOutOfTime ||= operation.billable === true && timeLimit.isOver(timeout, ahead);
		return signal?.aborted === true || isStopped || isOutOfTime || refusal !== undefined;
	};
	const left = jobs.filter(({ result }) => !result);
	const { before = 0, own = 0 } = sends?.memory.spent() ?? {};
	let spent = before + own;
	const sender = new Sender(means, stopped);

	const carryOutOne = async (job: Job, known: Known): Promise<Fate> => {
		if (known !== 'new' && known !== 'again') {
			job.result = sends?.tell(job, known);
			return 'free';
		}
		if (known === 'again') job.doubt ??= sends?.inDoubt(job);
		if (stopped()) return 'free';
		const size = job.doubt ? 0 : sizeOf(job);
		if (spent + size > maxSends) {
			job.result = { failure: tooMany(maxSends) };
			isStopped ||= !continueOnFail;
			return 'free';
		}
		spent += size;
		const { result, fate } = await sender.send(job);
		if (fate === 'free') spent -= size;
		job.result = result;
		isStopped ||= !continueOnFail && isStopping(job);
		return fate;
	};

	/** Notes some jobs, carries them out and says what became of them. */
	const carryOutGroup = async (group: Job[], known: Known[]): Promise<void> => {
		const ended = group.map(async (job, n): Promise<[Job, Fate]> => {
			// Whatever is thrown, what was noted ends: nothing else waits for it.
			const fate = await inSlot(async () => await carryOutOne(job, known[n] ?? 'new')).catch(
				(error: unknown): Fate => {
					job.result = { failure: asFailure(error) };
					return 'unknown';
				},
			);
			return [job, fate];
		});
		const all = await Promise.all(ended);
		await ledger?.settle(all);
	};
	const inSlot = pLimit(batchSize);
	const size = Math.ceil(inDoubtAt(settings, operation) / 2);
	const carryOutBatch = async (batch: Job[]): Promise<void> => {
		let last: Promise<void> | undefined;
		let earlier: Promise<void> | undefined;
		for (const group of ledger ? groupsOf(batch, size) : [batch]) {
			// Notes go ahead of the requests: two groups are open at once, of chunks one.
			await (size === 1 && operation.kind === 'joined' ? last : earlier);
			if (stopped()) break;
			const known = await failureOr(ledger?.begin(group) ?? Promise.resolve([]));
			if (known instanceof Failure) {
				refusal = known;
				break;
			}
			earlier = last;
			last = carryOutGroup(group, known);
		}
		await Promise.all([earlier, last]);
	};

	const batches = batchInterval === 0 ? [left] : chunk(left, batchSize);
	for (const [number, batch] of batches.entries()) {
		const pause = number > 0 ? batchInterval : 0;
		if (stopped(pause)) break;
		// A stopped execution ends the pause early; `stopped` then ends the loop. Nothing is noted meanwhile.
		if (pause > 0) await sleep(pause, signal).catch(() => {});
		await carryOutBatch(batch);
	}
	const late = isOutOfTime && !isStopped ? outOfTime() : undefined;
	const end = refusal ?? late ?? (signal?.aborted ? notSentAnyMore() : undefined);
	if (end) for (const job of jobs) job.result ??= { failure: end };
}

/** Jobs that are noted together: few, and no key twice. */
function groupsOf(jobs: Job[], size: number): Job[][] {
	const all: Job[][] = [];
	for (const job of jobs) {
		const last = all.at(-1);
		const { key } = job.send ?? {};
		const isTwice = key !== undefined && last?.some(({ send }) => send?.key === key);
		if (!last || last.length === size || isTwice) all.push([job]);
		else last.push(job);
	}
	return all;
}

/** n8n has stopped the execution: what is left is told, not passed over. */
const notSentAnyMore = (): Failure =>
	new Failure('The execution was stopped before this was sent', {
		outcome: 'notSent',
		description: 'Run the workflow again for what is left.',
	});

const tooMany = (most: number): Failure =>
	new Failure(
		`Max Sends allows ${most} in one execution, and with what is sent or under way this would be more`,
		{
			outcome: 'notSent',
			description:
				'Raise the option Max Sends if more are meant to go out, or find out why the workflow asks for more: a loop, an agent or a longer list.',
		},
	);

/** Makes the requests of one run: each read once, each billable request as it is told. */
class Sender {
	/** The last of those that are carried out one after the other, by what they have in common. */
	private readonly queues = new Map<string, Promise<unknown>>();

	/** Items that ask for the same get the same: identical reads of a run are made once. */
	private readonly readOnce: Call;

	/** @param stopped whether another failure has stopped the run; asked before a request goes out */
	constructor(
		private readonly means: Means,
		private readonly stopped: () => boolean,
	) {
		this.readOnce = once(means.call);
	}

	/**
	 * Carries out a job.
	 *
	 * @returns no result if it was stopped before the request went out
	 * @throws what an operation throws; the request may have left by then
	 */
	async send(job: Job): Promise<{ result?: Result; fate: Fate }> {
		const { plan } = job;
		if (!plan) return { fate: 'free' };
		if (isRead(plan.request)) return await this.read(plan).catch(failed);
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
		const records = all ?? recordsOf(this.means.operation, await this.readOnce(request));
		return { result: { records }, fate: 'free' };
	}

	private async sendNow(job: Job, plan: Plan): Promise<{ result?: Result; fate: Fate }> {
		const { context, sends, operation, call, look, timeLimit } = this.means;
		const memory = sends?.memory;
		if (this.stopped()) return { fate: 'free' };
		const prepared = await unsent(plan.prepare?.(call) ?? Promise.resolve(plan.request)).catch(
			asFailure,
		);
		if (prepared instanceof Failure) return failed(prepared);
		if (this.stopped()) return { fate: 'free' };
		let response: IDataObject | Failure = await call(prepared).catch(asFailure);
		if (response instanceof Failure) {
			const failure = operation.billable ? response.ofSend() : response;
			if (failure.outcome !== 'unknown') return failed(failure);
			memory?.remember(job, failure);
			return { result: { failure }, fate: 'unknown' };
		}
		memory?.remember(job, response);
		if (plan.follow) {
			// It can take minutes, in which n8n may be killed and others may wait for this send.
			await sends?.ledger?.settle([[job, 'accepted']]);
			// What goes wrong after the service has accepted a request is no failure of it.
			const answer = response;
			const signal = context.getExecutionCancelSignal();
			response = await plan.follow(response, look, signal, timeLimit.left()).catch(
				(error: unknown): IDataObject => ({
					...answer,
					ended: false,
					waitStopped: asFailure(error).message,
				}),
			);
			memory?.remember(job, response);
		}
		return { result: { records: recordsOf(operation, response, job.facts) }, fate: 'accepted' };
	}
}

const failed = (error: unknown): { result: Result; fate: Fate } => ({
	result: { failure: asFailure(error) },
	fate: 'free',
});

/** What goes wrong before the billable request leaves it unsent. */
export async function unsent<T>(request: Promise<T>): Promise<T> {
	return await request.catch((error: unknown) => {
		const failure = asFailure(error);
		if (failure.outcome !== 'unknown') throw failure;
		throw new Failure(failure.message, { ...failure, outcome: 'notSent' });
	});
}

/** Makes each request once, however often it is asked for. */
function once(call: Call): Call {
	const responses = new Map<string, Promise<IDataObject>>();
	return async (request, { fresh = false } = {}) => {
		if (fresh) return await call(request);
		const key = JSON.stringify([pathOf(request), request.query]);
		const response = responses.get(key) ?? call(request);
		responses.set(key, response);
		return await response;
	};
}

/** Anything else that is thrown here may have been thrown after a request had left. */
function asFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(error instanceof Error ? error.message : String(error), {
		outcome: 'unknown',
		description:
			'The node met something it does not know. Check with the service whether the request was carried out.',
	});
}
