import type { IDataObject } from 'n8n-workflow';
import { pathOf, type ApiRequest, type Call } from '../api/client';
import { isRead } from '../api/endpoints';
import { Failure } from '../api/failure';
import type { Operation, Plan } from '../operation';
import type { Job, Result } from './plan';
import type { Results } from './results';
import type { Fate } from './sendLog';

/** What a sender works with. */
export interface SenderParts {
	operation: Operation;
	call: Call;
	/** For billable operations. */
	results?: Results;
	signal?: AbortSignal;
}

/** Makes the requests of one run: each read once, each billable request as it is told. */
export class Sender {
	/** The last of those that are carried out one after the other, by what they have in common. */
	private readonly queues = new Map<string, Promise<unknown>>();

	/** Items that ask for the same get the same: identical reads of a run are made once. */
	private readonly readOnce: Call;

	constructor(private readonly parts: SenderParts) {
		this.readOnce = once(parts.call);
	}

	/**
	 * Carries out a job; never throws.
	 *
	 * @param stopped whether another failure has stopped the run; asked before the request goes out
	 * @param accepted called when the service has accepted it and something is waited for now
	 * @returns no result if it was stopped before the request went out
	 */
	async send(
		job: Job,
		stopped: () => boolean,
		accepted: () => Promise<void>,
	): Promise<{ result?: Result; fate: Fate }> {
		const { plan } = job;
		if (!plan) return { fate: 'free' };
		if (!isRead(plan.request)) {
			return await this.inTurn(
				plan.queue,
				async () => await this.sendNow(job, plan, stopped, accepted),
			);
		}
		try {
			return { result: { records: await this.read(plan) }, fate: 'free' };
		} catch (error) {
			return { result: { failure: failureOf(error) }, fate: 'free' };
		}
	}

	private async inTurn<T>(queue: string | undefined, work: () => Promise<T>): Promise<T> {
		if (queue === undefined) return await work();
		const turn = (this.queues.get(queue) ?? Promise.resolve()).then(work);
		this.queues.set(queue, turn);
		return await turn;
	}

	private async sendNow(
		job: Job,
		plan: Plan,
		stopped: () => boolean,
		accepted: () => Promise<void>,
	): Promise<{ result?: Result; fate: Fate }> {
		const { results, operation, call, signal } = this.parts;
		if (stopped()) return { fate: 'free' };
		let request: ApiRequest;
		try {
			const prepared = plan.prepare?.(call);
			request = prepared ? await unsent(prepared) : plan.request;
		} catch (error) {
			return { result: { failure: failureOf(error) }, fate: 'free' };
		}
		if (plan.prepare && stopped()) return { fate: 'free' };
		let response: IDataObject;
		try {
			response = await call(request);
		} catch (error) {
			const failure = operation.billable ? failureOf(error).ofSend() : failureOf(error);
			if (failure.outcome !== 'unknown') return { result: { failure }, fate: 'free' };
			results?.remember(job, failure);
			return { result: { failure }, fate: 'unknown' };
		}
		results?.remember(job, response);
		if (plan.follow) {
			// It can take minutes, in which n8n may be killed and others may wait for this send.
			await accepted();
			// What goes wrong after the service has accepted a request is no failure of it.
			response = await plan.follow(response, call, signal).catch((error: unknown) => ({
				...response,
				ended: false,
				waitStopped: failureOf(error).message,
			}));
			results?.remember(job, response);
		}
		return { result: { records: recordsOf(operation, response, job.facts) }, fate: 'accepted' };
	}

	private async read({ request, readAll }: Plan): Promise<IDataObject[]> {
		return (
			(await readAll?.(this.readOnce)) ??
			recordsOf(this.parts.operation, await this.readOnce(request))
		);
	}
}

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
		const failure = failureOf(error);
		if (failure.outcome !== 'unknown') throw failure;
		const { message, description, statusCode, facts } = failure;
		throw new Failure(message, { outcome: 'notSent', description, statusCode, facts });
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
function failureOf(error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(error instanceof Error ? error.message : String(error), {
		outcome: 'unknown',
		description:
			'The node met something it does not know. Check with the service whether the request was carried out.',
	});
}
