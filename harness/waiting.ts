/** Long enough for a busy machine: a condition that takes longer will not come true. */
export const patienceMs = 60_000;

export const pause = async (ms: number): Promise<void> =>
	await new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks again and again until the answer is there.
 * @param what named in the error, e.g. "execution 3 to finish"
 * @param probe gives `undefined` or `false` while the condition does not hold
 * @param timeoutMs how long to ask, in milliseconds
 * @throws when the time is over, with `what` and the time in the message
 */
export async function waitFor<T>(
	what: string,
	probe: () => Promise<T | false | undefined> | T | false | undefined,
	timeoutMs = patienceMs,
): Promise<T> {
	const end = Date.now() + timeoutMs;
	for (let delay = 20; ; delay = Math.min(delay * 1.5, 500)) {
		const answer = await probe();
		if (answer !== undefined && answer !== false) return answer;
		if (Date.now() > end) throw new Error(`Waited ${timeoutMs / 1000} s in vain for ${what}`);
		await pause(delay);
	}
}
