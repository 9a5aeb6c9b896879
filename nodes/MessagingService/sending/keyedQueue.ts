/** Work that must not run at the same time as other work of the same kind. */
export class KeyedQueue {
	private readonly last = new Map<string, Promise<unknown>>();

	/**
	 * Runs work after all earlier work with the same key, and at once without a key.
	 *
	 * @param work must not throw
	 */
	async take<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
		if (key === undefined) return await work();
		const turn = (this.last.get(key) ?? Promise.resolve()).then(work);
		this.last.set(key, turn);
		return await turn;
	}
}
