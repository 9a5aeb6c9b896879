import { sleep } from 'n8n-workflow';
import { inParallel } from '../api/parallel';

/** How fast requests go out. */
export interface Pacing {
	/** Requests in flight at once. */
	batchSize: number;
	/** Milliseconds between batches; with 0 the next request starts as soon as one ends. */
	batchInterval: number;
}

/**
 * Works through `count` pieces in order, never more than `batchSize` at once.
 *
 * @param work must not throw
 * @param stopped asked before each start; once true, nothing new starts and what runs is awaited
 */
export async function paced(
	count: number,
	{ batchSize, batchInterval }: Pacing,
	work: (index: number) => Promise<void>,
	stopped: () => boolean,
	signal?: AbortSignal,
): Promise<void> {
	const step = batchInterval === 0 ? count : batchSize;
	for (let start = 0; start < count && !stopped(); start += step) {
		// A stopped execution ends the pause early; `stopped` then ends the loop.
		if (start > 0) await sleep(batchInterval, signal).catch(() => {});
		await inParallel(
			{ start, end: Math.min(start + step, count), atOnce: batchSize },
			work,
			stopped,
		);
	}
}
