/** Milliseconds for what a person would wait for, e.g. in a page. */
export const patienceMs = 60_000;

/** The longest wait of any test: a condition that takes longer on a busy machine won't come true. */
export const longPatienceMs = 120_000;

export const pause = async (ms: number): Promise<void> =>
	await new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Gives an end to a call that may have none of its own, such as Playwright's `newPage` and `close`.
 * @param what named in the error, e.g. "the browser to close"
 * @throws after `timeoutMs` milliseconds
 */
export async function within<T>(
	what: string,
	call: Promise<T> | T,
	timeoutMs = patienceMs,
): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const end = new Promise<never>((_, reject) => {
		const fail = () => reject(new Error(`${timeoutMs / 1000} s was not enough for ${what}`));
		timer = setTimeout(fail, timeoutMs);
	});
	return await Promise.race([call, end]).finally(() => clearTimeout(timer));
}

/**
 * Checks a condition again and again until it holds.
 * @param what named in the error, e.g. "execution 3 to finish"
 * @param probe returns `undefined` or `false` while the condition does not hold
 * @param timeoutMs how long to check, in milliseconds; a check that has not returned by then is abandoned
 * @throws when the time is over, with `what` and the time in the message
 */
export async function waitFor<T>(
	what: string,
	probe: () => Promise<T | false | undefined> | T | false | undefined,
	timeoutMs = longPatienceMs,
): Promise<T> {
	let isOver = false;
	const look = async (): Promise<T> => {
		for (let delay = 20; !isOver; delay = Math.min(delay * 1.5, 250)) {
			const found = await probe();
			if (found !== undefined && found !== false) return found;
			await pause(delay);
		}
		throw new Error('Nobody waits any longer');
	};
	return await within(what, look(), timeoutMs).finally(() => (isOver = true));
}
