/** What the service does later by itself. */
export class Scheduler {
	private readonly timers = new Set<NodeJS.Timeout>();

	/** Steps that wait for their time. */
	get size(): number {
		return this.timers.size;
	}

	/** Runs `run` in `delay` milliseconds. */
	after(delay: number, run: () => void): void {
		const timer = setTimeout(() => {
			this.timers.delete(timer);
			run();
		}, delay);
		this.timers.add(timer);
	}

	clear(): void {
		for (const timer of this.timers) clearTimeout(timer);
		this.timers.clear();
	}
}
