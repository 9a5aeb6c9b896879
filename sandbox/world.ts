import type { Variants } from './choices';
import { variantsSchema } from './choices';
import { type Clock, SystemClock } from './clock';
import { Deliveries } from './deliveries/deliveries';
import { Faults } from './faults/faults';
import { Journal } from './journal';
import { type Lifecycle, lifecycleSchema } from './lifecycle/lifecycle';
import { Scheduler } from './scheduler';
import { createState, type State } from './state/state';
import { Traffic } from './traffic';

export interface WorldOptions {
	/** Decides ids, secrets, keys and chances; the same seed gives the same ones. Default 1. */
	seed?: number;
	clock?: Clock;
	lifecycle?: Partial<Lifecycle>;
	variants?: Partial<Variants>;
}

/** One running service: the account's state and everything that works on it. */
export class World {
	readonly clock: Clock;

	readonly scheduler: Scheduler;

	readonly journal: Journal;

	readonly traffic = new Traffic();

	readonly deliveries: Deliveries;

	readonly faults: Faults;

	state: State;

	variants: Variants;

	lifecycle: Lifecycle;

	constructor(private readonly options: WorldOptions = {}) {
		const { seed = 1, clock = new SystemClock() } = options;
		this.clock = clock;
		this.variants = variantsSchema.parse(options.variants ?? {});
		this.lifecycle = lifecycleSchema.parse(options.lifecycle ?? {});
		this.state = createState(seed, () => clock.now());
		this.scheduler = new Scheduler(clock);
		this.journal = new Journal(() => this.variants.journal);
		this.faults = new Faults(seed);
		this.deliveries = new Deliveries({
			now: () => clock.now(),
			variants: () => this.variants,
			subscribers: (event) => this.state.webhooks.subscribers(event),
			scheduler: this.scheduler,
			journal: this.journal,
			traffic: this.traffic,
		});
	}

	/** Back to the start: state, settings, journal, counters and faults; keeps the seed without a new one. */
	reset(seed = this.state.seed): void {
		this.stop();
		this.variants = variantsSchema.parse(this.options.variants ?? {});
		this.lifecycle = lifecycleSchema.parse(this.options.lifecycle ?? {});
		this.state = createState(seed, () => this.clock.now());
		this.faults.reset(seed);
		this.journal.reset();
		this.traffic.reset();
	}

	/** Ends everything that would still happen by itself. */
	stop(): void {
		this.scheduler.clear();
		this.deliveries.clear();
		this.faults.release();
	}
}
