import { sleep } from 'n8n-workflow';

/** Why work was ended before it was done. */
export type Ending = 'timeout' | 'stopped';

/** Ends the clock of work that is done. Made once: an error of its own for each takes longer than the rest. */
const over = new Error('The work is done');

/**
 * Gives the work a time that it may take as a whole. When it is over, or the execution is stopped,
 * the work's signal is aborted and its result no longer awaited; nothing is left behind when it ends.
 *
 * @param timeout milliseconds
 * @param stopped fires when the execution is stopped
 * @returns what the work gives, or why it was ended
 */
export async function withDeadline<T>(
	timeout: number,
	stopped: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T | Ending> {
	const request = new AbortController();
	const done = new AbortController();
	const ended = new Promise<Ending>((resolve) => {
		request.signal.addEventListener('abort', () => resolve(request.signal.reason as Ending));
	});
	const stop = () => request.abort('stopped');
	if (stopped?.aborted) stop();
	else stopped?.addEventListener('abort', stop);
	const late = () => request.abort('timeout');
	sleep(timeout, done.signal).then(late, () => {});
	try {
		return await Promise.race([ended, work(request.signal)]);
	} finally {
		done.abort(over);
		stopped?.removeEventListener('abort', stop);
	}
}
