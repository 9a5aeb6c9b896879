/**
 * Works through the indices from `start` to before `end` in order, up to `atOnce` at the same time.
 *
 * @param stopped asked before each start; once true, nothing new starts and what runs is awaited
 */
export async function inParallel(
	{ start = 0, end, atOnce }: { start?: number; end: number; atOnce: number },
	work: (index: number) => Promise<void>,
	stopped: () => boolean = () => false,
): Promise<void> {
	let next = start;
	const worker = async () => {
		while (next < end && !stopped()) await work(next++);
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, end - start) }, worker));
}
