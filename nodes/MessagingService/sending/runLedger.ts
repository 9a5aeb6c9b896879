import type { IExecuteFunctions } from 'n8n-workflow';
import { isRead } from '../api/endpoints';
import { Claims } from './claims';
import { Divisions } from './divisions';
import { fingerprint, lineageOf, runOf } from './identity';
import { Ledger } from './ledger';
import type { Earlier, Job, Jobs } from './plan';
import type { Settings } from './settings';

/** Sends that a crash may leave in doubt (docs/contract.md, section 4.3). */
const mostInDoubt = 25;

/** With more requests at once than that, each note in the database is for so many further ones. */
const further = 20;

/**
 * What the ledger has to say of one run: what makes each of its sends the same in another try, and
 * with a key in any other execution.
 */
export class RunLedger {
	/** Whether nothing of the run can have been sent by another execution. */
	readonly isFresh: boolean;

	/** How the tries of the run have divided its rows. */
	readonly divisions: Divisions;

	private readonly isKeyed: boolean;

	/** What is the same in all tries of the run. */
	private readonly prefix: string;

	/** Whether a request holds many rows. */
	private readonly hasRows: boolean;

	/** What the rows of the run are known by. */
	private readonly rows: string;

	/**
	 * @param account that the sends go through
	 * @returns undefined in a workflow that was never saved, which has no ledger
	 */
	static of(
		context: IExecuteFunctions,
		planned: Jobs,
		settings: Settings,
		earlier: Earlier,
		account: string,
	): RunLedger | undefined {
		const ledger = Ledger.of(context);
		return ledger && new RunLedger(context, planned, settings, earlier, account, ledger);
	}

	private constructor(
		private readonly context: IExecuteFunctions,
		{ jobs, size }: Jobs,
		private readonly settings: Settings,
		private readonly earlier: Earlier,
		private readonly account: string,
		private readonly ledger: Ledger,
	) {
		this.prefix = `${account} ${lineageOf(context)} ${runOf(context)}`;
		this.hasRows = size !== undefined;
		this.isKeyed = jobs.some(({ key }) => key !== undefined);
		this.isFresh = !this.isKeyed && context.getMode() !== 'retry';
		const key = jobs.find((job) => job.key !== undefined)?.key;
		this.rows = key === undefined ? this.prefix : `key ${account} ${key}`;
		this.divisions = new Divisions(context, ledger, this.rows);
	}

	/** Lets no other run of this process that has the same rows run meanwhile. */
	async alone<T>(work: () => Promise<T>): Promise<T> {
		return await this.ledger.runs.take(this.hasRows ? this.rows : undefined, work);
	}

	/** Claims for the sends of a run that is about to be made; throws Failure. */
	async claims(planned: Jobs): Promise<Claims> {
		const { jobs, size } = planned;
		const { memory } = this.earlier;
		if (size === undefined || this.orderOf(jobs).length === 0) return this.claimsOf(jobs);
		const print = this.printOf(jobs);
		const { number, entries } = await this.divisions.note(memory.divisions.length, size, print);
		memory.rememberDivision(this.divisions.nameOf(number));
		return this.claimsOf(jobs, number, entries);
	}

	/**
	 * Claims by which sends are known.
	 *
	 * @param division number of the division that they are of
	 * @param ofRun what stands in the ledger for the run as a whole
	 */
	claimsOf(jobs: Job[], division = 0, ofRun: string[] = []): Claims {
		const { context, settings, ledger, isKeyed, isFresh } = this;
		const prefix = `${this.prefix} ${division}`;
		const idIn = (start: string) => (index: number) => this.idOf(start, jobs[index], division);
		const own = `${prefix} ${context.getExecutionId()}`;
		return new Claims(ledger, {
			context,
			order: this.orderOf(jobs),
			count: jobs.length,
			prefix,
			idOf: idIn(prefix),
			// A request for many is not in doubt because another one was under way.
			mostInDoubt: this.hasRows ? 1 : inDoubtAt(settings),
			isKeyed,
			// A retry can begin while the execution that it repeats still runs.
			waits: !isFresh,
			fresh: isFresh ? { mark: `run ${own}`, ownIdOf: idIn(own) } : undefined,
			ofRun,
		});
	}

	/** The indices of the jobs that are to be sent. */
	private orderOf(jobs: Job[]): number[] {
		const { memory, inputOf } = this.earlier;
		const isToSend = ({ plan, claim, place, items }: Job): boolean =>
			plan !== undefined &&
			claim === undefined &&
			!isRead(plan.request) &&
			// Rows that are known to be sent are not planned, but for the division of an earlier try.
			(plan.rows !== undefined || !memory.accepted(place, inputOf(items)));
		return jobs.flatMap((job, index) => (isToSend(job) ? [index] : []));
	}

	/** A fingerprint of the requests that are to be made. */
	printOf(jobs: Job[]): string {
		return fingerprint(this.orderOf(jobs).map((index) => this.idOf(this.prefix, jobs[index], 0)));
	}

	private idOf(start: string, job: Job | undefined, division: number): string {
		const { key, place, plan, items = [] } = job ?? {};
		if (key === undefined) return `${start} ${place} ${this.earlier.inputOf(items)}`;
		const part = plan?.rows ? ` ${division} ${place} ${plan.recipients?.()}` : '';
		return `key ${this.account} ${key}${part}`;
	}
}

const inDoubtAt = ({ batchSize }: Settings): number =>
	batchSize > mostInDoubt ? batchSize + further : mostInDoubt;
