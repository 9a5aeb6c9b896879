import type { Clock } from './clock';

interface Step {
	at: number;
	run: () => void;
}

/** Steps run in one go before requests get their turn again. */
const stepsPerTurn = 20;

/** Runs steps at their time, earliest first, in the order of scheduling when times are equal. */
export class Scheduler {
	private steps: Step[] = [];

	/** How many of `steps` have run. */
	private done = 0;

	/** Sorting waits until a step is due: it is cheap for what is nearly sorted, but not per step. */
	private isSorted = true;

	private soonest = Infinity;

	constructor(private readonly clock: Clock) {}

	/** Steps that wait for their time. */
	get size(): number {
		return this.steps.length - this.done;
	}

	/** Whether a step could run now. */
	get hasDue(): boolean {
		return this.soonest <= this.clock.now();
	}

	/** Runs `run` in `delay` milliseconds. */
	after(delay: number, run: () => void): void {
		const at = this.clock.now() + delay;
		this.steps.push({ at, run });
		this.isSorted = false;
		this.soonest = Math.min(this.soonest, at);
		this.arm();
	}

	clear(): void {
		this.steps = [];
		this.done = 0;
		this.soonest = Infinity;
		this.clock.clearAlarm();
	}

	private arm(): void {
		if (this.size > 0) this.clock.setAlarm(this.soonest, () => this.runDue());
	}

	private runDue(): void {
		for (let turn = 0; turn < stepsPerTurn && this.hasDue; turn++) this.take()?.run();
		this.arm();
	}

	private take(): Step | undefined {
		if (!this.isSorted) {
			this.steps = this.steps.slice(this.done).sort((a, b) => a.at - b.at);
			this.done = 0;
			this.isSorted = true;
		}
		const step = this.steps[this.done];
		this.done += 1;
		this.soonest = this.steps[this.done]?.at ?? Infinity;
		return step;
	}
}
