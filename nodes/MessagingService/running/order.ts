import { compact } from 'lodash';
import type { Audience, Job } from '../job';

/** What must not overlap: sends to the same recipients, sends with the same key, or everything. */
type Name = Audience | `key ${string}` | 'all';

/**
 * The order of a run: a job may start once the earlier jobs to its recipients and with its key have ended. Other jobs
 * do not wait for it (docs/contract.md, section 4.2).
 */
export class Order {
	/** Jobs that have not ended, by name. */
	private readonly queues = new Map<Name, Job[]>();

	private readonly startable: Job[];

	private left: number;

	private wake = () => {};

	/** @param isStrict whether all jobs wait for each other, because only one request is made at once */
	constructor(
		jobs: Job[],
		private readonly isStrict: boolean,
	) {
		for (const job of jobs)
			for (const name of this.namesOf(job)) {
				const queue = this.queues.get(name);
				if (queue) queue.push(job);
				else this.queues.set(name, [job]);
			}
		this.left = jobs.length;
		this.startable = jobs.filter((job) => this.isFirst(job));
	}

	/** Whether all jobs have ended. */
	get isOver(): boolean {
		return this.left === 0;
	}

	/** Takes up to `most` jobs that may start now. */
	take(most: number): Job[] {
		return this.startable.splice(0, most);
	}

	/** Lets the jobs start that waited for this one: before all others, because they are earlier in the list. */
	end(job: Job): void {
		this.left--;
		const queues = compact(this.namesOf(job).map((name) => this.queues.get(name)));
		for (const queue of queues) if (queue[0] === job) queue.shift();
		const next = new Set(compact(queues.map(([first]) => first)));
		this.startable.unshift(...[...next].filter((one) => this.isFirst(one)));
		this.changed();
	}

	/** Reports that jobs may start, or that there is room for more. */
	changed(): void {
		this.wake();
	}

	async nextChange(): Promise<void> {
		await new Promise<void>((resolve) => (this.wake = resolve));
	}

	private namesOf({ send, key }: Job): Name[] {
		if (this.isStrict) return ['all'];
		return compact([send?.audience, key === undefined ? undefined : (`key ${key}` as const)]);
	}

	private isFirst(job: Job): boolean {
		return this.namesOf(job).every((name) => this.queues.get(name)?.[0] === job);
	}
}
