import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { pathOf, type ApiRequest, type Call } from '../api/client';
import { isRead } from '../api/endpoints';
import { Failure } from '../api/failure';
import { withId } from '../api/response';
import type { Claim, Claims } from './claims';
import { fingerprint } from './identity';
import { KeyedQueue } from './keyedQueue';
import type { Fate } from './ledger';
import type { Sent } from './memory';
import type { Operation, Plan } from './operation';
import type { Earlier, Job } from './plan';
import { writeRows } from './rows';

/** What became of a job. */
export type Result =
	| { records: IDataObject[] }
	/** `isEarlier`: a crash has left it in doubt; it stops nothing now. */
	| { failure: Failure; isEarlier?: true };

/** What a sender works with. */
export interface SenderParts {
	context: IExecuteFunctions;
	operation: Operation;
	call: Call;
	/** For billable operations. */
	earlier?: Earlier;
	claims?: Claims;
	resendUnknown: boolean;
	/** What is known of a send whose response was lost in a crash. */
	recover?: Recover;
}

/** Looks up what is known of a send whose response was lost. */
export interface Recover {
	accepted(job: Job): Promise<IDataObject>;
	unknown(job: Job): Promise<Failure>;
}

/** Makes the requests of one run: each read once, each billable request at most once. */
export class Sender {
	private readonly queue = new KeyedQueue();

	/** Items that ask for the same get the same: identical reads of a run are made once. */
	private readonly readOnce: Call;

	private readonly signal: AbortSignal | undefined;

	constructor(private readonly parts: SenderParts) {
		this.signal = parts.context.getExecutionCancelSignal();
		this.readOnce = once(parts.call);
	}

	/** What is known of a job before anything is sent: it cannot be made, or must not be repeated. */
	known(job: Job): Result | undefined {
		const failure = job.failure ?? this.unknownBefore(job);
		return failure && { failure };
	}

	/** What an earlier try of this execution had accepted. */
	before({ items, facts, place }: Job): Result | undefined {
		const { earlier } = this.parts;
		const response = earlier?.memory.accepted(place, earlier.inputOf(items));
		return response && { records: this.output(response, facts) };
	}

	/**
	 * Carries out a job; never throws.
	 *
	 * @param index of the job in the run
	 * @param stopped whether another failure has stopped the run; asked before the request goes out
	 * @returns undefined if it was stopped before the request went out; a promise to wait for, if
	 * another execution has this very send under way
	 */
	async send(
		job: Job,
		index: number,
		stopped: () => boolean,
	): Promise<Result | { busy: Promise<Fate> } | undefined> {
		const { plan } = job;
		if (!plan) return this.before(job);
		try {
			if (isRead(plan.request)) return { records: await this.read(plan) };
			const claim = job.claim ?? (await this.parts.claims?.claim(index)) ?? 'new';
			return typeof claim === 'object' ? claim : await this.claimed(job, index, claim, stopped);
		} catch (error) {
			return { failure: failureOf(error) };
		}
	}

	/**
	 * Carries out a job that was under way elsewhere; never throws.
	 *
	 * @param busy what becomes of it there
	 */
	async sendAfter(
		busy: Promise<Fate>,
		job: Job,
		index: number,
		stopped: () => boolean,
	): Promise<Result | undefined> {
		try {
			for (let claim: Claim = { busy }; ; ) {
				while (typeof claim === 'object') {
					const fate: Fate = await claim.busy;
					claim = fate === 'free' ? await this.claimAgain(index) : fate;
				}
				const result = await this.claimed(job, index, claim, stopped);
				if (!result || !('busy' in result)) return result;
				claim = result;
			}
		} catch (error) {
			return { failure: failureOf(error) };
		}
	}

	private async claimAgain(index: number, isResent = false): Promise<Claim> {
		return (await this.parts.claims?.claimAgain(index, isResent)) ?? 'new';
	}

	private async claimed(
		job: Job,
		index: number,
		claim: Exclude<Claim, object>,
		stopped: () => boolean,
	): Promise<Result | { busy: Promise<Fate> } | undefined> {
		const { claims, recover, resendUnknown } = this.parts;
		if (claim === 'unknown' && resendUnknown && !stopped()) {
			// Another run may have sent it again since it was claimed.
			const again = await this.claimAgain(index, true);
			if (typeof again === 'object') return again;
			claim = again;
		}
		if (claim === 'accepted') return { records: [await this.lost(job)] };
		if (claim === 'unknown') {
			const failure = (await recover?.unknown(job)) ?? failureOf('It may have been sent');
			return { failure, isEarlier: true };
		}
		return await this.queue.take(job.plan?.queue, async () => {
			const { result, fate } = await this.carryOut(job, index, stopped);
			claims?.settle(index, fate);
			return result;
		});
	}

	/** The record of a send that is known to be accepted and whose response is not kept. */
	private async lost(job: Job): Promise<IDataObject> {
		const { key, facts } = job;
		const found = key === undefined ? await this.parts.recover?.accepted(job) : undefined;
		const name = key === undefined ? {} : { idempotencyKey: key };
		return { alreadySent: true, ...name, ...found, ...facts };
	}

	private async carryOut(
		job: Job,
		index: number,
		stopped: () => boolean,
	): Promise<{ result: Result | undefined; fate: Fate }> {
		const { claims, earlier, operation, call } = this.parts;
		const { plan, facts, place } = job;
		if (!plan || stopped()) return { result: undefined, fate: 'free' };
		const sent = this.sentOf(job);
		let response: IDataObject;
		let request: ApiRequest;
		try {
			request = plan.prepare
				? await prepared(plan.prepare(call, earlier?.memory.uploads ?? new Map<string, string>()))
				: plan.request;
		} catch (error) {
			return { result: { failure: failureOf(error) }, fate: 'free' };
		}
		if (plan.prepare && stopped()) return { result: undefined, fate: 'free' };
		try {
			response = await call(request);
			if (operation.id) response = withId(response, operation.id, request);
			earlier?.memory.rememberAccepted(place, sent, response);
		} catch (error) {
			const failure = operation.billable ? failureOf(error).ofSend() : failureOf(error);
			if (failure.outcome !== 'unknown') return { result: { failure }, fate: 'free' };
			earlier?.memory.rememberUnknown(place, sent, failure, contentOf(plan.request));
			return { result: { failure }, fate: 'unknown' };
		}
		if (plan.follow) {
			// It can take minutes, in which n8n may be killed and others may wait for this send. Where n8n's
			// database refuses, the send is noted as accepted later, like any other.
			claims?.settle(index, 'accepted');
			await claims?.flush().catch(() => {});
		}
		const final = await this.followed(plan, response);
		if (final) earlier?.memory.rememberAccepted(place, sent, final);
		return { result: { records: this.output(final ?? response, facts) }, fate: 'accepted' };
	}

	/** What goes wrong after the service has accepted a request is no failure of it. */
	private async followed(
		{ follow }: Plan,
		response: IDataObject,
	): Promise<IDataObject | undefined> {
		if (!follow) return undefined;
		return await follow(response, this.parts.call, this.signal).catch((error: unknown) => ({
			...response,
			ended: false,
			waitStopped: failureOf(error).message,
		}));
	}

	/** The failure of a send that must not be repeated, because it may have been sent. */
	private unknownBefore({ plan, items, place }: Job): Failure | undefined {
		const { earlier, resendUnknown } = this.parts;
		if (!earlier || resendUnknown) return undefined;
		const { memory, inputOf } = earlier;
		return (
			memory.unknown(place, inputOf(items)) ??
			(plan && memory.unknownElsewhere(() => contentOf(plan.request)))
		);
	}

	private sentOf({ items, facts, plan }: Job): Sent {
		const input = this.parts.earlier?.inputOf(items) ?? '';
		if (!plan || !('rows' in plan)) return { input };
		const from = writeRows(Uint32Array.from(items));
		const isRows = plan.rows instanceof Uint32Array && writeRows(plan.rows) === from;
		return { input, facts, ...(isRows ? {} : { items: from }) };
	}

	private async read({ request, readAll }: Plan): Promise<IDataObject[]> {
		return (await readAll?.(this.readOnce)) ?? this.output(await this.readOnce(request));
	}

	private output(response: IDataObject, facts?: IDataObject): IDataObject[] {
		const records = this.parts.operation.output?.(response) ?? [response];
		return facts ? records.map((record) => ({ ...record, ...facts })) : records;
	}
}

/** What goes wrong before the billable request leaves it unsent. */
async function prepared(request: Promise<ApiRequest>): Promise<ApiRequest> {
	return await request.catch((error: unknown) => {
		const failure = failureOf(error);
		if (failure.outcome !== 'unknown') throw failure;
		const { message, description, statusCode, facts } = failure;
		throw new Failure(message, { outcome: 'notSent', description, statusCode, facts });
	});
}

const contentOf = ({ endpoint, body, form }: ApiRequest): string =>
	fingerprint(endpoint.path, Buffer.isBuffer(body) ? body.toString() : body, form?.fields, [
		form?.file.fileName,
		form?.file.size,
	]);

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
