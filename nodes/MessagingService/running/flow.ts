import { sleep } from 'n8n-workflow';
import pLimit from 'p-limit';
import type { Fate, Known } from '../sending/sendLog';

/** How fast requests go out. */
export interface Pacing {
	/** Requests in flight at once. */
	batchSize: number;
	/** Milliseconds between batches; with 0 the next request starts as soon as one ends. */
	batchInterval: number;
}

/** What is done with the jobs of a flow; nothing of it throws. */
export interface Steps<Job> {
	/** What is noted together, of some jobs that follow each other. */
	groups(jobs: Job[]): Job[][];
	/** Notes jobs that go out next; undefined if that failed, and nothing more goes out. */
	begin(jobs: Job[]): Promise<Known[] | undefined>;
	/** Carries out a job. */
	work(job: Job, known: Known): Promise<Fate>;
	/** Notes what became of jobs. */
	settle(ended: Array<[Job, Fate]>): Promise<void>;
	/**
	 * Whether nothing new starts; what is under way is awaited.
	 *
	 * @param ahead milliseconds until it would start
	 */
	stopped(ahead?: number): boolean;
}

/**
 * Works through jobs in order, never more than `batchSize` at once. They are noted in groups, beside
 * the work on those before, because each note rewrites n8n's row.
 *
 * @param mostOpen groups that are noted and have not ended
 */
export async function flow<Job>(
	jobs: Job[],
	mostOpen: number,
	{ batchSize, batchInterval }: Pacing,
	{ groups, begin, work, settle, stopped }: Steps<Job>,
	signal?: AbortSignal,
): Promise<void> {
	const step = batchInterval === 0 ? jobs.length : batchSize;
	for (let start = 0; start < jobs.length; start += step) {
		if (stopped(start > 0 ? batchInterval : 0)) return;
		// A stopped execution ends the pause early; `stopped` then ends the loop. Nothing is noted meanwhile.
		if (start > 0) await sleep(batchInterval, signal).catch(() => {});
		const inSlot = pLimit(batchSize);
		const open = new Set<Promise<void>>();
		for (const group of groups(jobs.slice(start, start + step))) {
			while (open.size >= mostOpen) await Promise.race(open);
			const known = stopped() ? undefined : await begin(group);
			if (!known) break;
			const ended = group.map(
				async (job, n): Promise<[Job, Fate]> => [
					job,
					await inSlot(async () => await work(job, known[n] ?? 'new')),
				],
			);
			const settled: Promise<void> = Promise.all(ended)
				.then(settle)
				.finally(() => open.delete(settled));
			open.add(settled);
		}
		await Promise.all(open);
	}
}
