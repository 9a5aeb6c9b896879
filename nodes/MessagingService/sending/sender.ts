import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { isRead, pathOf, type Call } from '../api/request';
import { withId } from '../api/response';
import { KeyedQueue } from './keyedQueue';
import { Memory } from './memory';
import type { Operation, Plan } from './operation';
import type { Job } from './plan';

/** What became of a job. */
export type Result = { records: IDataObject[] } | { failure: Failure };

/** Makes the requests of one run: each read once, each billable request at most once. */
export class Sender {
	private readonly memory: Memory | undefined;

	private readonly queue = new KeyedQueue();

	/** Items that ask for the same get the same: identical reads of a run are made once. */
	private readonly readOnce: Call;

	private readonly signal: AbortSignal | undefined;

	constructor(
		context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly call: Call,
		private readonly resendUnknown: boolean,
	) {
		this.signal = context.getExecutionCancelSignal();
		this.readOnce = once(call);
		if (operation.billable) this.memory = new Memory(context, runIndexOf(context));
	}

	/** What is known of a job before anything is sent: it cannot be made, or must not be repeated. */
	known({ items, failure }: Job, index: number): Result | undefined {
		const before = failure ?? (this.resendUnknown ? undefined : this.memory?.unknown(index, items));
		return before && { failure: before };
	}

	/** What an earlier try of this execution had accepted. */
	before({ items, facts }: Job, index: number): Result | undefined {
		const response = this.memory?.accepted(index, items);
		return response && { records: this.output(response, facts) };
	}

	/**
	 * Carries out a job; never throws.
	 *
	 * @param stopped whether another failure has stopped the run; asked once more after preparing
	 * @returns undefined if it was stopped before the request went out
	 */
	async send(job: Job, index: number, stopped: () => boolean): Promise<Result | undefined> {
		const { plan, facts } = job;
		if (!plan) return this.known(job, index);
		return await this.queue.take(plan.queue, async () => {
			try {
				if (isRead(plan.request)) return { records: await this.read(plan) };
				const response = await this.sendOnce(plan, job.items, index, stopped);
				return response && { records: this.output(response, facts) };
			} catch (error) {
				return { failure: error instanceof Failure ? error : unexpected(error) };
			}
		});
	}

	/** Clears the memory of this run. */
	forget(): void {
		this.memory?.clear();
	}

	private async read({ request, readAll }: Plan): Promise<IDataObject[]> {
		return (await readAll?.(this.readOnce)) ?? this.output(await this.readOnce(request));
	}

	private async sendOnce(
		plan: Plan,
		items: number[],
		index: number,
		stopped: () => boolean,
	): Promise<IDataObject | undefined> {
		const remembered = this.memory?.accepted(index, items);
		if (remembered) return remembered;

		const request = plan.prepare ? await this.prepare(plan.prepare) : plan.request;
		if (plan.prepare && stopped()) return undefined;
		let response: IDataObject;
		try {
			response = await this.call(request);
			if (this.operation.id) response = withId(response, this.operation.id, request);
		} catch (error) {
			const failure = error instanceof Failure ? error : unexpected(error);
			if (failure.outcome === 'unknown') this.memory?.rememberUnknown(index, items, failure);
			throw failure;
		}
		this.memory?.rememberAccepted(index, items, response);
		const final = await plan.follow?.(response, this.call, this.signal);
		if (final) this.memory?.rememberAccepted(index, items, final);
		return final ?? response;
	}

	/** What goes wrong before the billable request leaves it unsent. */
	private async prepare(prepare: NonNullable<Plan['prepare']>) {
		return await prepare(this.call).catch((error: unknown) => {
			if (!(error instanceof Failure) || error.outcome !== 'unknown') throw error;
			const { message, description, statusCode, facts } = error;
			throw new Failure(message, { outcome: 'notSent', description, statusCode, facts });
		});
	}

	private output(response: IDataObject, facts?: IDataObject): IDataObject[] {
		const records = this.operation.output?.(response) ?? [response];
		return facts ? records.map((record) => ({ ...record, ...facts })) : records;
	}
}

/** Makes each request once, however often it is asked for. */
function once(call: Call): Call {
	const responses = new Map<string, Promise<IDataObject>>();
	return async (request) => {
		const key = JSON.stringify([pathOf(request), request.query]);
		const response = responses.get(key) ?? call(request);
		responses.set(key, response);
		return await response;
	};
}

const runIndexOf = (context: IExecuteFunctions): number =>
	Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);

/** Anything else that is thrown here may have been thrown after a request had left. */
function unexpected(error: unknown): Failure {
	return new Failure(error instanceof Error ? error.message : String(error), {
		outcome: 'unknown',
		description:
			'The node met something it does not know. Check with the service whether the request was carried out.',
	});
}
