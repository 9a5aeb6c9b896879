/** Does work whose signal is aborted, with the reason `stopped`, when the execution is stopped. */
type Stoppable = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Makes pieces of work end with the execution. However many are under way, the execution's signal
 * has one listener, and none when nothing is.
 *
 * @param cancelled the execution's signal; none where nothing can be stopped
 */
export function stoppable(cancelled: AbortSignal | undefined): Stoppable {
	const underWay = new Set<AbortController>();
	const stop = () => {
		for (const controller of underWay) controller.abort('stopped');
	};
	return async (work) => {
		const controller = new AbortController();
		if (cancelled?.aborted) controller.abort('stopped');
		if (underWay.size === 0) cancelled?.addEventListener('abort', stop);
		underWay.add(controller);
		try {
			return await work(controller.signal);
		} finally {
			underWay.delete(controller);
			if (underWay.size === 0) cancelled?.removeEventListener('abort', stop);
		}
	};
}
