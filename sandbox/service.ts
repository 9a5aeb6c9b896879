import { assume, type Assumptions } from './assumptions';
import { Deliveries } from './deliveries/deliveries';
import { Faults } from './faults/faults';
import { Journal, type JournalMode } from './journal';
import { lifecycleSchema, type Lifecycle } from './lifecycle';
import { Scheduler } from './scheduler';
import { State } from './state/state';
import { Traffic } from './traffic';

export interface ServiceOptions {
	/** Decides ids, secrets, keys and chances; the same seed gives the same ones. Default 1. */
	seed?: number;
	lifecycle?: Partial<Lifecycle>;
	assumptions?: Partial<Assumptions>;
	/** `full` by default. */
	journal?: JournalMode;
}

/** One running service: the account's state and everything that works on it. */
export class Service {
	readonly scheduler = new Scheduler();

	readonly journal: Journal;

	readonly traffic = new Traffic();

	readonly deliveries: Deliveries;

	readonly faults = new Faults();

	state!: State;

	assumptions!: Assumptions;

	lifecycle!: Lifecycle;

	constructor(private readonly options: ServiceOptions = {}) {
		this.journal = new Journal(options.journal ?? 'full');
		this.deliveries = new Deliveries(this);
		this.reset();
	}

	/** Back to the start: state, settings, journal, counters and faults. */
	reset(): void {
		this.stop();
		this.assumptions = assume(this.options.assumptions);
		this.lifecycle = lifecycleSchema.parse(this.options.lifecycle ?? {});
		this.state = new State(this.options.seed);
		this.faults.clear();
		this.journal.clear();
		this.traffic.reset();
	}

	/** Ends everything that would still happen by itself. */
	stop(): void {
		this.scheduler.clear();
		this.deliveries.clear();
		this.faults.release();
	}
}
