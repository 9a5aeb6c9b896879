/** Time for everything the service does by itself. One alarm is enough: the scheduler owns it. */
export interface Clock {
	/** True when time moves only through `advance`. */
	readonly manual: boolean;
	/** Milliseconds since 1970. */
	now(): number;
	/** Calls `ring` once when `at` is reached; replaces an earlier alarm. */
	setAlarm(at: number, ring: () => void): void;
	clearAlarm(): void;
	/** Moves time forward by `ms`; alarms on the way ring. */
	advance(ms: number): void;
}

/** Longest delay that setTimeout takes. */
const maxDelay = 2 ** 31 - 1;

/** The computer's time, plus whatever `advance` added. */
export class SystemClock implements Clock {
	readonly manual = false;

	private offset = 0;

	private timer: NodeJS.Timeout | undefined;

	private alarm: { at: number; ring: () => void } | undefined;

	now(): number {
		return Date.now() + this.offset;
	}

	setAlarm(at: number, ring: () => void): void {
		clearTimeout(this.timer);
		this.alarm = { at, ring };
		const delay = Math.min(Math.max(at - this.now(), 0), maxDelay);
		this.timer = setTimeout(ring, delay);
	}

	clearAlarm(): void {
		clearTimeout(this.timer);
		this.alarm = undefined;
	}

	advance(ms: number): void {
		this.offset += ms;
		if (this.alarm) this.setAlarm(this.alarm.at, this.alarm.ring);
	}
}

/** Time that stands still until `advance` moves it. What is due already rings by itself. */
export class ManualClock implements Clock {
	readonly manual = true;

	private alarm: { at: number; ring: () => void } | undefined;

	constructor(private time = Date.UTC(2025, 0, 1)) {}

	now(): number {
		return this.time;
	}

	setAlarm(at: number, ring: () => void): void {
		this.alarm = { at, ring };
		if (at <= this.time) setImmediate(() => this.ringUntil(this.time));
	}

	clearAlarm(): void {
		this.alarm = undefined;
	}

	advance(ms: number): void {
		const target = this.time + ms;
		this.ringUntil(target);
		this.time = target;
	}

	private ringUntil(target: number): void {
		while (this.alarm && this.alarm.at <= target) {
			const { at, ring } = this.alarm;
			this.alarm = undefined;
			this.time = Math.max(this.time, at);
			ring();
		}
	}
}

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
