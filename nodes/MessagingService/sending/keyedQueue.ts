/** Work that must not run at the same time as other work of the same kind. */
export class KeyedQueue {
	private readonly last = new Map<string, Promise<unknown>>();

	/** Runs work after all earlier work with the same key, and at once without a key. */
	async take<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
		if (key === undefined) return await work();
		const earlier = this.last.get(key) ?? Promise.resolve();
		const turn = earlier.catch(() => {}).then(work);
		this.last.set(key, turn);
		try {
			return await turn;
		} finally {
			if (this.last.get(key) === turn) this.last.delete(key);
		}
	}
}
