import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Operation, Prepared } from '../actions/operation';
import { requireId } from '../api/response';
import { Failure, failureOr } from '../api/failure';
import { writtenJson, type ApiRequest, type Call } from '../api/request';
import { Memory } from './memory';
import type { Plan } from './plan';
import { KeyedQueue } from './keyedQueue';

/** What became of a plan. */
export type Result = { records: IDataObject[] } | { failure: Failure };

/** Makes the requests of one run: each read once, each billable request at most once. */
export class Sender {
	private readonly memory: Memory | undefined;

	private readonly reads = new Map<string, Promise<IDataObject[]>>();

	private readonly queue = new KeyedQueue();

	private readonly claimedIds = new Set<string>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly call: Call,
		private readonly resendUnknown: boolean,
	) {
		if (operation.billable) this.memory = new Memory(context, runIndexOf(context));
	}

	/** The failure of an earlier try that must not be repeated, because it may have been sent. */
	unknownBefore(request: ApiRequest, place: number): Failure | undefined {
		return this.resendUnknown ? undefined : this.memory?.unknown(place, request);
	}

	/** What an earlier try of this execution had accepted. */
	before(request: ApiRequest, place: number, facts?: IDataObject): Result | undefined {
		const answer = this.memory?.accepted(place, request);
		return answer && { records: this.output(answer, facts) };
	}

	/**
	 * Carries out a plan; never throws.
	 *
	 * @param stopped whether another failure has stopped the run; asked once more after preparing
	 * @returns undefined if it was stopped before the request went out
	 */
	async send(plan: Plan, place: number, stopped: () => boolean): Promise<Result | undefined> {
		const { request, read } = plan;
		const turn = request instanceof Failure ? undefined : this.operation.turn?.(request, read);
		return await this.queue.take(turn, async () => await this.carryOut(plan, place, stopped));
	}

	private async carryOut(
		{ request, read, facts }: Plan,
		place: number,
		stopped: () => boolean,
	): Promise<Result | undefined> {
		try {
			if (request instanceof Failure) return { failure: request };
			if (request.method === 'GET') return { records: await this.readOnce(request) };

			const sent = await this.sendOnce(request, read, place, stopped);
			if (!sent) return undefined;
			const { answer, earlierIds } = sent;
			const following = {
				call: this.call,
				read,
				request,
				answer,
				earlierIds,
				claimedIds: this.claimedIds,
			};
			const signal = this.context.getExecutionCancelSignal();
			const record = await this.operation.follow?.({ ...following, signal });
			return { records: this.output(record ?? answer, facts) };
		} catch (error) {
			return { failure: error instanceof Failure ? error : unexpected(error) };
		}
	}

	/** Clears the memory of this run. */
	forget(): void {
		this.memory?.clear();
	}

	/** Items that ask for the same get the same: identical reads of a run are made once. */
	private async readOnce(request: ApiRequest): Promise<IDataObject[]> {
		const key = JSON.stringify([request.path, request.query, String(request.wanted)]);
		let records = this.reads.get(key);
		if (!records) {
			records =
				this.operation.readAll?.(this.call, request) ??
				this.call(request).then((answer) => this.output(answer));
			this.reads.set(key, records);
		}
		return await records;
	}

	private async sendOnce(
		planned: ApiRequest,
		read: Plan['read'],
		place: number,
		stopped: () => boolean,
	): Promise<{ answer: IDataObject; earlierIds?: Set<string> } | undefined> {
		const remembered = this.memory?.accepted(place, planned);
		if (remembered) return { answer: remembered };

		// Written once: for the wire and for the fingerprint.
		const written = { ...planned, json: writtenJson(planned) };
		const { request, earlierIds } = await this.prepare(written, read);
		if (this.operation.prepare && stopped()) return undefined;
		const answer = await failureOr(this.accepted(request));
		if (answer instanceof Failure) {
			if (answer.outcome === 'unknown') this.memory?.rememberUnknown(place, written, answer);
			throw answer;
		}
		this.memory?.rememberAccepted(place, written, answer);
		return { answer, earlierIds };
	}

	private async accepted(request: ApiRequest): Promise<IDataObject> {
		const answer = await this.call(request);
		return this.operation.id ? requireId(answer, this.operation.id, request) : answer;
	}

	/** What goes wrong before the billable request leaves it unsent. */
	private async prepare(request: ApiRequest, read: Plan['read']): Promise<Prepared> {
		const prepared = await failureOr(
			this.operation.prepare?.(this.call, request, read) ?? Promise.resolve({ request }),
		);
		if (!(prepared instanceof Failure)) return prepared;
		if (prepared.outcome !== 'unknown') throw prepared;
		const { message, description, statusCode, facts } = prepared;
		throw new Failure(message, { outcome: 'notSent', description, statusCode, facts });
	}

	private output(answer: IDataObject, facts?: IDataObject): IDataObject[] {
		const records = this.operation.output?.(answer) ?? [answer];
		return facts ? records.map((record) => ({ ...record, ...facts })) : records;
	}
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
