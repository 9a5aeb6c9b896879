import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { pathOf, type Call } from '../api/client';
import { isRead } from '../api/endpoints';
import { Failure } from '../api/failure';
import type { Operation, Plan } from '../operation';
import type { Earlier } from '../sending/earlier';
import type { Job, Result } from '../sending/job';
import type { Fate } from '../sending/sendLog';
import type { Settings, TimeLimit } from './settings';

/** What the jobs of a run are carried out with. */
export interface Means {
	context: IExecuteFunctions;
	operation: Operation;
	settings: Settings;
	call: Call;
	/** For what is asked once a request was accepted. */
	look: Call;
	/** For requests that cost money. */
	earlier?: Earlier;
	timeLimit: TimeLimit;
	continueOnFail: boolean;
}

/** Makes the requests of one run: each read once, each billable request as it is told. */
export class Sender {
	/** The last of those that are carried out one after the other, by what they have in common. */
	private readonly queues = new Map<string, Promise<unknown>>();

	/** Items that ask for the same get the same: identical reads of a run are made once. */
	private readonly readOnce: Call;

	/** @param stopped whether another failure has stopped the run; asked before a request goes out */
	constructor(
		private readonly means: Means,
		private readonly stopped: () => boolean,
	) {
		this.readOnce = once(means.call);
	}

	/**
	 * Carries out a job.
	 *
	 * @returns no result if it was stopped before the request went out
	 * @throws what an operation throws; the request may have left by then
	 */
	async send(job: Job): Promise<{ result?: Result; fate: Fate }> {
		const { plan } = job;
		if (!plan) return { fate: 'free' };
		if (isRead(plan.request)) return await this.read(plan).catch(failed);
		const last = plan.queue === undefined ? undefined : this.queues.get(plan.queue);
		const turn = Promise.resolve(last).then(async () => await this.sendNow(job, plan));
		if (plan.queue !== undefined)
			this.queues.set(
				plan.queue,
				turn.catch(() => {}),
			);
		return await turn;
	}

	private async read({ request, readAll }: Plan): Promise<{ result: Result; fate: Fate }> {
		const all = await readAll?.(this.readOnce);
		const records = all ?? recordsOf(this.means.operation, await this.readOnce(request));
		return { result: { records }, fate: 'free' };
	}

	private async sendNow(job: Job, plan: Plan): Promise<{ result?: Result; fate: Fate }> {
		const { context, earlier, operation, call, look, timeLimit } = this.means;
		const results = earlier?.results;
		if (this.stopped()) return { fate: 'free' };
		const prepared = await unsent(plan.prepare?.(call) ?? Promise.resolve(plan.request)).catch(
			asFailure,
		);
		if (prepared instanceof Failure) return failed(prepared);
		if (this.stopped()) return { fate: 'free' };
		let response: IDataObject | Failure = await call(prepared).catch(asFailure);
		if (response instanceof Failure) {
			const failure = operation.billable ? response.ofSend() : response;
			if (failure.outcome !== 'unknown') return failed(failure);
			results?.remember(job, failure);
			return { result: { failure }, fate: 'unknown' };
		}
		results?.remember(job, response);
		if (plan.follow) {
			// It can take minutes, in which n8n may be killed and others may wait for this send. Of a long list a
			// block is told as a whole.
			if (job.send?.block === undefined) await earlier?.log?.settle([[job, 'accepted']]);
			// What goes wrong after the service has accepted a request is no failure of it.
			const answer = response;
			const signal = context.getExecutionCancelSignal();
			response = await plan.follow(response, look, signal, timeLimit.left()).catch(
				(error: unknown): IDataObject => ({
					...answer,
					ended: false,
					waitStopped: asFailure(error).message,
				}),
			);
			results?.remember(job, response);
		}
		return { result: { records: recordsOf(operation, response, job.facts) }, fate: 'accepted' };
	}
}

const failed = (error: unknown): { result: Result; fate: Fate } => ({
	result: { failure: asFailure(error) },
	fate: 'free',
});

/** The records of a response as they come out. */
export function recordsOf(
	{ output }: Operation,
	response: IDataObject,
	facts?: IDataObject,
): IDataObject[] {
	const records = output?.(response) ?? [response];
	return facts ? records.map((record) => ({ ...record, ...facts })) : records;
}

/** What goes wrong before the billable request leaves it unsent. */
export async function unsent<T>(request: Promise<T>): Promise<T> {
	return await request.catch((error: unknown) => {
		const failure = asFailure(error);
		if (failure.outcome !== 'unknown') throw failure;
		throw new Failure(failure.message, { ...failure, outcome: 'notSent' });
	});
}

/** Makes each request once, however often it is asked for. */
function once(call: Call): Call {
	const responses = new Map<string, Promise<IDataObject>>();
	return async (request, { fresh = false } = {}) => {
		if (fresh) return await call(request);
		const key = JSON.stringify([pathOf(request), request.query]);
		const response = responses.get(key) ?? call(request);
		responses.set(key, response);
		return await response;
	};
}

/** Anything else that is thrown here may have been thrown after a request had left. */
export function asFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(error instanceof Error ? error.message : String(error), {
		outcome: 'unknown',
		description:
			'The node met something it does not know. Check with the service whether the request was carried out.',
	});
}
