/** Works through all values, never more than `atOnce` at the same time. */
export async function inParallel<T>(
	values: T[],
	atOnce: number,
	work: (value: T) => Promise<void>,
): Promise<void> {
	const rest = values.values();
	const worker = async () => {
		for (const value of rest) await work(value);
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
}
