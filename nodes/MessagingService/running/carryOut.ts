import { chunk, sumBy } from 'lodash';
import { sleep } from 'n8n-workflow';
import pLimit from 'p-limit';
import { Failure, failureOr } from '../api/failure';
import { blockSize, isLong } from '../sending/earlier';
import { failureOf, isInDoubt, isStopping, sizeOf, type Job } from '../sending/job';
import type { Fate, Known } from '../sending/sendLog';
import { asFailure, Sender, type Means } from './sender';
import { inDoubtAt, outOfTime } from './settings';

/**
 * Carries out the jobs that have no result yet, in order and never more than `batchSize` at once, and
 * gives each its result. They are noted in groups, beside the work on those before, because each note
 * rewrites n8n's row. Nothing new starts once the run is stopped; what is under way is awaited.
 */
export async function carryOut(jobs: Job[], means: Means): Promise<void> {
	const { context, operation, settings, earlier, timeLimit, continueOnFail } = means;
	const { batchSize, batchInterval, timeout, maxSends } = settings;
	const signal = context.getExecutionCancelSignal();
	const results = earlier?.results;
	// What could not be planned stops the run, and so does what this execution has in doubt.
	let isStopped = !continueOnFail && jobs.some(isStopping);
	let isOutOfTime = false;
	/** @param ahead milliseconds until something would start */
	const stopped = (ahead?: number) => {
		isOutOfTime ||= operation.billable === true && timeLimit.isOver(timeout, ahead);
		return signal?.aborted === true || isStopped || isOutOfTime;
	};
	const left = jobs.filter(({ result }) => !result);
	const rest = (failure: Failure) => {
		for (const job of left) job.result ??= { failure };
	};
	/** Without n8n's database nothing can be noted: of the rest nothing is sent. */
	const cannotNote = (failure: Failure) => {
		isStopped = true;
		rest(failure);
	};
	// More than earlier tries, where something was sent again that was in doubt.
	if (results)
		results.round.spent = Math.max(results.round.spent, sumBy(jobs.filter(mayBeSent), sizeOf));
	const sender = new Sender(means, stopped);

	const carryOutOne = async (job: Job, known: Known): Promise<Fate> => {
		if (known !== 'new' && known !== 'again') {
			const isOwn = job.key === undefined;
			job.result = await earlier?.tell(job, known, isOwn);
			if (isOwn) results?.spend(sizeOf(job));
			return 'free';
		}
		if (known === 'again') job.doubt ??= await earlier?.doubtOf(job);
		if (stopped()) return 'free';
		if (results?.spend(sizeOf(job), maxSends) === false) {
			job.result = { failure: tooMany(maxSends) };
			isStopped ||= !continueOnFail;
			return 'free';
		}
		const { result, fate } = await sender.send(job);
		if (fate === 'free') results?.spend(-sizeOf(job));
		job.result = result;
		isStopped ||= !continueOnFail && isStopping(job);
		return fate;
	};

	const inDoubtAtMost = inDoubtAt(settings, operation, isLong(jobs));
	const size = isLong(jobs) ? blockSize : Math.ceil(inDoubtAtMost / 2);
	const carryOutBatch = async (batch: Job[]): Promise<void> => {
		const inSlot = pLimit(batchSize);
		const open = new Set<Promise<void>>();
		for (const group of earlier?.groups(batch, size) ?? [batch]) {
			while (open.size >= Math.floor(inDoubtAtMost / size)) await Promise.race(open);
			if (stopped()) break;
			const known = await failureOr(earlier?.log?.begin(group) ?? Promise.resolve([]));
			if (known instanceof Failure) {
				cannotNote(known);
				break;
			}
			const ended = group.map(async (job, n): Promise<[Job, Fate]> => {
				const work = inSlot(async () => await carryOutOne(job, known[n] ?? 'new'));
				// Whatever is thrown, what was noted ends: nothing else waits for it.
				const fate = await work.catch((error: unknown): Fate => {
					job.result = { failure: asFailure(error) };
					return 'unknown';
				});
				return [job, fate];
			});
			const settled: Promise<void> = Promise.all(ended)
				.then(async (all) => await earlier?.log?.settle(all))
				.finally(() => open.delete(settled));
			open.add(settled);
		}
		await Promise.all(open);
	};

	if (!isStopped) await earlier?.log?.adopt(jobs).catch(cannotNote);
	const batches = batchInterval === 0 ? [left] : chunk(left, batchSize);
	for (const [number, batch] of batches.entries()) {
		const pause = number > 0 ? batchInterval : 0;
		if (stopped(pause)) break;
		// A stopped execution ends the pause early; `stopped` then ends the loop. Nothing is noted meanwhile.
		if (pause > 0) await sleep(pause, signal).catch(() => {});
		await carryOutBatch(batch);
	}
	if (isOutOfTime && !isStopped) rest(outOfTime());
	if (signal?.aborted) rest(notSentAnyMore());
}

/** n8n has stopped the execution: what is left is told, not passed over. */
const notSentAnyMore = (): Failure =>
	new Failure('The execution was stopped before this was sent', {
		outcome: 'notSent',
		description: 'Run the workflow again for what is left.',
	});

/** Whether somebody was reached or may have been. */
const mayBeSent = (job: Job): boolean =>
	!job.isTrial && job.result !== undefined && (!failureOf(job) || isInDoubt(job));

const tooMany = (most: number): Failure =>
	new Failure(
		`Max Sends allows ${most} in one execution, and with what is sent or under way this would be more`,
		{
			outcome: 'notSent',
			description:
				'Raise the option Max Sends if more are meant to go out, or find out why the workflow asks for more: a loop, an agent or a longer list.',
		},
	);
