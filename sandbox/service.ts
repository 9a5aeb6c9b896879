import { assume, type Assumptions } from './assumptions';
import { Deliveries } from './deliveries';
import { nowFor } from './dialect';
import { Faults } from './faults';
import { Journal, type JournalMode } from './journal';
import { lifecycleSchema, type Lifecycle } from './lifecycleSettings';
import { newState, type State } from './state/state';

export interface ServiceOptions {
	/** Decides ids, secrets, keys and durations; the same seed gives the same ones. Default 1. */
	seed?: number;
	lifecycle?: Partial<Lifecycle>;
	assumptions?: Partial<Assumptions>;
	/** `full` by default. */
	journal?: JournalMode;
}

/** One running service: the account's state and everything that works on it. */
export class Service {
	readonly journal: Journal;

	readonly deliveries = new Deliveries(this);

	readonly faults = new Faults();

	/** Steps that wait for their time. */
	readonly steps = new Set<NodeJS.Timeout>();

	state!: State;

	assumptions!: Assumptions;

	lifecycle!: Lifecycle;

	constructor(private readonly options: ServiceOptions = {}) {
		this.journal = new Journal(options.journal ?? 'full');
		this.reset();
	}

	/** Back to the start: state, settings, journal, counters and faults. */
	reset(): void {
		this.stop();
		this.assumptions = assume(this.options.assumptions);
		this.lifecycle = lifecycleSchema.parse(this.options.lifecycle ?? {});
		this.state = newState(this.options.seed);
		this.faults.clear();
		this.journal.clear();
	}

	/** The present by the service's clock. */
	now(): string {
		return nowFor(this.assumptions);
	}

	/** Runs a step in a while, unless the service is reset first. */
	after(delay: number, run: () => void): void {
		const step = setTimeout(() => {
			this.steps.delete(step);
			run();
		}, delay);
		this.steps.add(step);
	}

	/** Ends everything that would still happen by itself. */
	stop(): void {
		for (const step of this.steps) clearTimeout(step);
		this.steps.clear();
		this.deliveries.clear();
	}
}
