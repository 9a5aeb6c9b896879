import { sleep } from 'n8n-workflow';
import type { Fate } from './sendLog';
import type { Known } from './store';

/** How fast requests go out. */
export interface Pacing {
	/** Requests in flight at once. */
	batchSize: number;
	/** Milliseconds between batches; with 0 the next request starts as soon as one ends. */
	batchInterval: number;
}

/** What is done with the jobs of a flow; nothing of it throws. */
export interface Steps<Job> {
	/** Notes jobs that go out next, the first of them at least; undefined if that failed. */
	begin(jobs: Job[], hurry: () => void): Promise<Known[] | undefined>;
	/**
	 * Carries out a job.
	 *
	 * @param settled to be called as soon as its fate is known, if that is before it has ended
	 */
	work(job: Job, known: Known, settled: (fate: Fate) => Promise<void>): Promise<Fate>;
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
 * Works through jobs in order, never more than `batchSize` at once and never more than `mostOpen`
 * noted ahead. The notes are written in batches beside the work, because each rewrites n8n's row.
 */
export async function flow<Job>(
	jobs: Job[],
	{ batchSize, batchInterval }: Pacing,
	mostOpen: number,
	steps: Steps<Job>,
	signal?: AbortSignal,
): Promise<void> {
	const step = batchInterval === 0 ? jobs.length : batchSize;
	for (let start = 0; start < jobs.length; start += step) {
		if (steps.stopped(start > 0 ? batchInterval : 0)) return;
		// A stopped execution ends the pause early; `stopped` then ends the loop. Nothing is noted meanwhile.
		if (start > 0) await sleep(batchInterval, signal).catch(() => {});
		await stretch(jobs.slice(start, start + step), batchSize, mostOpen, steps);
	}
}

async function stretch<Job>(
	jobs: Job[],
	batchSize: number,
	mostOpen: number,
	{ begin, work, settle, stopped }: Steps<Job>,
): Promise<void> {
	/** Noted together, while as many as go out at once are under way. */
	const group = Math.max(1, mostOpen - batchSize);
	const ready: Array<[Job, Known]> = [];
	const ended: Array<[Job, Fate]> = [];
	let open = 0;
	let next = 0;
	let filling: Promise<void> | undefined;
	let isAwaited = false;

	const flush = async () => {
		const some = ended.splice(0);
		if (some.length === 0) return;
		await settle(some);
		open -= some.length;
	};
	const end = async (job: Job, fate: Fate) => {
		ended.push([job, fate]);
		if (isAwaited) await flush();
	};
	const fill = async () => {
		await flush();
		const some = jobs.slice(next, next + Math.min(group, mostOpen - open));
		open += some.length;
		const known = await begin(some, () => {
			// Another run waits for one of these: what becomes of each is noted at once.
			isAwaited = true;
			void flush();
		});
		if (!known) return;
		next += known.length;
		known.forEach((one, place) => ready.push([some[place] as Job, one]));
		open -= some.length - known.filter((one) => one === 'new').length;
	};
	const take = async () => {
		for (;;) {
			const isRoom = mostOpen - open + ended.length >= group;
			if (isRoom && next < jobs.length && !stopped()) {
				filling ??= fill().finally(() => (filling = undefined));
			}
			const one = ready.shift();
			if (one ?? !filling) return one;
			await filling;
		}
	};
	const worker = async () => {
		for (let one = await take(); one; one = await take()) {
			const [job, known] = one;
			let isSettled = known !== 'new';
			if (!isSettled && stopped()) {
				// What was noted ahead may be what the next notes wait for: it is given back at once.
				await end(job, 'free');
				continue;
			}
			const fate = await work(job, known, async (early) => {
				isSettled = true;
				await end(job, early);
				await flush();
			});
			if (!isSettled) await end(job, fate);
		}
	};
	await Promise.all(Array.from({ length: Math.min(batchSize, jobs.length) }, worker));
	await filling;
	await flush();
}
