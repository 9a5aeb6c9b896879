import { sleep } from 'n8n-workflow';

/** Why work was aborted: it timed out, or the execution was stopped. */
type AbortReason = 'ECONNABORTED' | 'ERR_CANCELED';

/** Passed to `abort` to end the timer of finished work. One shared error, because creating an error is slow. */
const over = new Error('The work is done');

/**
 * Makes a function that runs work within milliseconds and returns its result, or why it was aborted. All work shares
 * one listener: Node 20 warns at eleven, and never removes those that `AbortSignal.any` adds.
 */
export function withDeadline(stopSignal?: AbortSignal) {
	const running = new Set<AbortController>();
	const stop = () => {
		for (const controller of running) controller.abort('ERR_CANCELED' satisfies AbortReason);
	};
	return async <T>(
		timeout: number,
		work: (signal: AbortSignal) => Promise<T>,
	): Promise<T | AbortReason> => {
		const controller = new AbortController();
		const { signal } = controller;
		const aborted = new Promise<AbortReason>((resolve) => {
			signal.addEventListener('abort', () => resolve(signal.reason as AbortReason));
		});
		if (running.size === 0) stopSignal?.addEventListener('abort', stop);
		running.add(controller);
		if (stopSignal?.aborted) stop();
		const late = () => controller.abort('ECONNABORTED' satisfies AbortReason);
		sleep(timeout, signal).then(late, () => {});
		try {
			return await Promise.race([aborted, work(signal)]);
		} finally {
			running.delete(controller);
			if (running.size === 0) stopSignal?.removeEventListener('abort', stop);
			controller.abort(over);
		}
	};
}
