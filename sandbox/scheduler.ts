import type { Clock } from './clock';

interface Step {
	at: number;
	order: number;
	run: () => void;
}

/** Steps run in one go before requests get their turn again. */
const STEPS_PER_TURN = 20;

function before(a: Step, b: Step): boolean {
	return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/**
 * Runs steps at their time, earliest first, in the order of scheduling when times are equal.
 * A binary heap behind a single alarm: a timer per message would not carry a bulk campaign.
 */
export class Scheduler {
	private readonly heap: Step[] = [];

	private scheduled = 0;

	constructor(private readonly clock: Clock) {}

	/** Steps that wait for their time. */
	get size(): number {
		return this.heap.length;
	}

	/** Whether a step could run now. */
	get hasDue(): boolean {
		const next = this.heap[0];
		return next !== undefined && next.at <= this.clock.now();
	}

	/** Runs `run` in `delay` milliseconds. */
	after(delay: number, run: () => void): void {
		this.push({ at: this.clock.now() + delay, order: this.scheduled++, run });
		this.arm();
	}

	clear(): void {
		this.heap.length = 0;
		this.clock.clearAlarm();
	}

	private arm(): void {
		const next = this.heap[0];
		if (next) this.clock.setAlarm(next.at, () => this.runDue());
	}

	private runDue(): void {
		for (let turn = 0; turn < STEPS_PER_TURN && this.hasDue; turn++) this.pop()?.run();
		this.arm();
	}

	private push(step: Step): void {
		let index = this.heap.length;
		while (index > 0) {
			const above = (index - 1) >> 1;
			const parent = this.heap[above];
			if (!parent || before(parent, step)) break;
			this.heap[index] = parent;
			index = above;
		}
		this.heap[index] = step;
	}

	private pop(): Step | undefined {
		const first = this.heap[0];
		const last = this.heap.pop();
		if (!last || first === last) return first;
		let index = 0;
		for (;;) {
			let below = 2 * index + 1;
			let child = this.heap[below];
			if (!child) break;
			const right = this.heap[below + 1];
			if (right && before(right, child)) {
				child = right;
				below += 1;
			}
			if (before(last, child)) break;
			this.heap[index] = child;
			index = below;
		}
		this.heap[index] = last;
		return first;
	}
}
