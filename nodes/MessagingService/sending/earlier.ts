import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure, failureOr, unknownAdvice } from '../api/failure';
import type { ApiRequest, Call } from '../api/client';
import { readNewest } from '../api/newest';
import type { RecordLookUp } from '../operation';
import { identify, inputReader, sourceOf } from './identity';
import { failedBy, isFailed, type Job, type Result } from './plan';
import { Results } from './results';
import { openLog, type Fate, type Send, type SendLog } from './sendLog';
import type { Known } from './store';
import { isKnownAsWhole, otherList, WholeList, type OtherList } from './wholeList';

export interface EarlierParts {
	context: IExecuteFunctions;
	/** The service that sends go through; undefined where that cannot be told. */
	service: string | undefined;
	/** Whether all items are sent together. */
	isJoined: boolean;
	/** Whether what may have been sent is sent again. */
	isResent: boolean;
	/** Sends that may be open at once. */
	mostOpen: number;
	/** The records of a response as they come out. */
	recordsOf(response: IDataObject, facts?: IDataObject): IDataObject[];
}

/**
 * What earlier tries have left of the sends of a run, and what this one leaves: in the execution's own
 * data, and in n8n's database (docs/contract.md, sections 4.3 to 4.5).
 */
export class Earlier {
	readonly results: Results;

	/** A fingerprint of input items. */
	readonly inputOf: (items: number[]) => string;

	private log: SendLog | undefined;

	constructor(private readonly parts: EarlierParts) {
		this.results = new Results(parts.context, parts.service);
		this.inputOf = inputReader(parts.context);
	}

	get isResent(): boolean {
		return this.parts.isResent;
	}

	/**
	 * Tells what became of jobs, before anything is sent: those that nothing is known of have no result.
	 *
	 * @param blocked why nothing can be sent now, whatever the job
	 */
	async find(jobs: Job[], blocked: Failure | undefined, recovery: Recovery): Promise<void> {
		const { context, service } = this.parts;
		const left = jobs.filter(({ result }) => !result);
		for (const job of left) {
			if (service !== undefined) job.source ??= sourceOf(job, service, this.inputOf);
			job.result = this.remembered(job);
		}
		// In a first try all that is known is remembered.
		const isRetry = context.getMode() === 'retry';
		const isAsked = isRetry || jobs.some(({ result, failure }) => !result && !failure && !blocked);
		const asked = isAsked ? await failureOr(this.found(jobs, blocked, recovery)) : undefined;
		for (const job of left) {
			const cause = job.failure ?? blocked ?? asked;
			job.result ??= failedBy(cause && asked && isRetry ? notLookedUp(cause) : cause);
		}
	}

	/** Notes the keys of what is known without them: with a key it holds for other executions, too. Throws Failure. */
	async adopt(jobs: Job[]): Promise<void> {
		const some = jobs.flatMap(({ send, source, result }): Array<{ key: string; known: Known }> => {
			const key = send?.key;
			if (key === undefined || !result || !source) return [];
			if (!isFailed(result)) return [{ key, known: 'accepted' }];
			return result.failure.outcome === 'unknown' ? [{ key, known: 'unknown' }] : [];
		});
		await this.log?.adopt(some);
	}

	/** Notes the first of these jobs, which go out next, and tells which must not; throws Failure. */
	async begin(jobs: Job[], hurry: () => void): Promise<Known[]> {
		if (!this.log) return jobs.map(() => 'new');
		// A key that comes again waits until its first send has ended.
		const again = jobs.findIndex(
			({ key }, n) => key !== undefined && jobs.findIndex((one) => one.key === key) < n,
		);
		const first = again === -1 ? jobs : jobs.slice(0, again);
		return await this.log.begin(
			first.flatMap(({ send }) => send ?? []),
			hurry,
		);
	}

	/** Notes what became of jobs that have begun; never throws. */
	async settle(ended: Array<[Job, Fate]>): Promise<void> {
		await this.log?.settle(
			ended.flatMap(([{ send }, fate]): Array<[Send, Fate]> => (send ? [[send, fate]] : [])),
		);
	}

	/** Ends a run: what did not go out has not begun. */
	async close(): Promise<void> {
		await this.log?.close();
	}

	/**
	 * The result of a job of which the log knows that it went out or may have.
	 *
	 * @param isOwn whether this execution has sent it: of a key that is known, another one may have
	 */
	async tell(job: Job, known: Known, recovery: Recovery, isOwn = true): Promise<Result> {
		if (known !== 'accepted') {
			const isClear = known === 'unknown';
			return { failure: await recovery.unknown(job, isClear), isEarlier: true };
		}
		const response = await recovery.accepted(job);
		if (isOwn) this.results.remember(job, response);
		return { records: [{ ...response, ...job.facts }] };
	}

	/** What may have been sent before and was not accepted now stays in doubt (docs/contract.md, section 4.4). */
	keepDoubts(jobs: Job[]): void {
		for (const job of jobs) {
			const { result, items } = job;
			const isAgain = job.isAgain === true || job.send?.isAgain === true;
			if (result && (!isFailed(result) || result.failure.outcome === 'unknown')) continue;
			const known = this.results.recall(job, this.inputOf(items))?.outcome;
			if (!isAgain && !(known instanceof Failure)) continue;
			job.result = result
				? { failure: stillInDoubt(result.failure) }
				: {
						failure: known instanceof Failure ? known : inDoubt(job, doubtOf(job), {}),
						isEarlier: true,
					};
		}
	}

	/** Forgets a run that has ended well: n8n has its output, and no retry will ask for it. */
	end(): void {
		const { context } = this.parts;
		this.results.end();
		// The execution that a retry was made from can be retried again, and one that was stopped begins anew.
		context.onExecutionFinish?.(() => {
			const isStopped = context.getExecutionCancelSignal()?.aborted === true;
			if (context.getMode() !== 'retry' && !isStopped) this.log?.forget();
		});
	}

	/** What this execution remembers of a job. */
	private remembered(job: Job): Result | undefined {
		const { results, isResent } = this;
		const { source, facts } = job;
		const { outcome, isEarlier } = results.recall(job, this.inputOf(job.items)) ?? {};
		if (outcome instanceof Failure) {
			if (isResent) return undefined;
			return isEarlier ? { failure: outcome, isEarlier } : { failure: outcome };
		}
		if (outcome) {
			const response = isEarlier ? { alreadySent: true, ...outcome } : outcome;
			return { records: this.parts.recordsOf(response, facts) };
		}
		return failedBy(source && !isResent ? results.unknownElsewhere(source.content) : undefined);
	}

	/** Tells what the log knows of jobs that are not remembered; gives a Failure if it cannot be asked. */
	private async found(
		jobs: Job[],
		blocked: Failure | undefined,
		recovery: Recovery,
	): Promise<Failure | undefined> {
		const { service, isJoined } = this.parts;
		const { results, inputOf } = this;
		const isWhole = isKnownAsWhole(jobs);
		const log = await openLog(this.parts, results, isWhole);
		this.log = log;
		if (!log) return undefined;
		const { name, isRetry } = log.parts;
		const broken =
			blocked ??
			(isJoined && jobs.every(({ plan }) => !plan)
				? jobs.find(({ failure }) => failure)?.failure
				: undefined);
		if (broken && (isJoined || isWhole || service === undefined))
			return isRetry ? broken : undefined;
		identify(jobs, { name, service: service ?? '', results, inputOf, isWhole });
		const key = isJoined ? jobs.find((job) => job.key !== undefined)?.key : undefined;
		const other = isWhole
			? await otherList(log, jobs, key && `${service} ${key}`, this.isResent)
			: undefined;
		if (isWhole && !isJoined) log.list = new WholeList(`${name} ${results.round.number}`, isRetry);
		else if (isRetry && (!other || this.isResent)) await this.foundEach(log, jobs, recovery);
		for (const job of other ? jobs : []) {
			const one = this.isResent ? undefined : inOtherList(job, other);
			job.result ??= failedBy(job.failure ? notLookedUp(job.failure) : one);
		}
		return undefined;
	}

	private async foundEach(log: SendLog, jobs: Job[], recovery: Recovery): Promise<void> {
		const left = jobs.filter(({ result }) => !result);
		const known = await log.find(left.flatMap(({ send }) => send ?? []));
		for (const [n, job] of left.entries()) {
			const one = known[n] ?? 'new';
			if (one === 'unknown' && this.isResent) continue;
			if (one === 'accepted') job.result = await this.tell(job, one, recovery);
			// What cannot be read in a list that may have changed is known by nothing.
			else if (job.failure && (one === 'unknown' || log.parts.isChanged))
				job.result = failedBy(notLookedUp(job.failure));
			else if (one === 'unknown') job.result = await this.tell(job, one, recovery);
			else if (job.send?.to === undefined || this.isResent) continue;
			else if (log.parts.isForgetful) job.result = failedBy(forgotten(job));
			else if (log.parts.isMixed) job.result = failedBy(inOtherList(job));
		}
	}
}

/** Tells what is known of sends whose responses were lost in a crash. */
export interface Recovery {
	/** What stands for the response to a send that was accepted. */
	accepted(job: Job): Promise<IDataObject>;
	/**
	 * The failure of a send that may have been accepted.
	 *
	 * @param isClear whether it was noted itself, not just something to its recipient
	 */
	unknown(job: Job, isClear?: boolean): Promise<Failure>;
}

/**
 * Looks up in the service's lists what became of sends (docs/contract.md, section 4.3). The list is
 * read once per run, and a list that cannot be read changes nothing: what is known without it is said.
 * A record never makes a send accepted: it may be that of somebody else's message to the same number.
 *
 * @param since when the first try began, in milliseconds
 */
export function recovery(call: Call, records: RecordLookUp | undefined, since: number): Recovery {
	let list: Promise<IDataObject[]> | undefined;
	const candidates = async (request: ApiRequest | undefined): Promise<IDataObject[]> => {
		if (!records || !request) return [];
		list ??= recent(call, records, since);
		const recipient = records.recipientOf(request);
		return (await list).filter((record) => records.recipientIn(record) === recipient);
	};
	return {
		accepted: async ({ plan, key }) => {
			// What another execution has sent is not looked for.
			if (key !== undefined) return { alreadySent: true, idempotencyKey: key };
			const [first, ...others] = await candidates(plan?.request);
			const record = others.length === 0 ? first : undefined;
			return { alreadySent: true, ...(record && { record }), ...plan?.followed?.(record) };
		},
		unknown: async (job, isClear = true) =>
			inDoubt(job, isClear ? doubtOf(job) : unclear, {
				candidates: await candidates(job.plan?.request),
			}),
	};
}

const doubtOf = ({ key }: Job): string =>
	key === undefined
		? 'An earlier try of this execution ended while this was being sent: it may have arrived'
		: `The key "${key}" is in doubt: an earlier try or another execution may have sent this`;

const unclear =
	'An earlier try of this execution has sent something to this recipient that no item of the list stands for now: it may have been this';

/** The failure of a send in a list that is not the one of before: some of it may have been sent. */
const inOtherList = (job: Job, other: OtherList = 'execution'): Failure =>
	other === 'key'
		? inDoubt(
				job,
				`The key "${job.key}" was used before, for other recipients or campaigns: whom of these it has reached is not known`,
				{},
				'Nothing more was sent. Give these recipients a key of their own, or set the input and the parameters back to what they were.',
			)
		: inDoubt(
				job,
				'The list is another one than before n8n was cut off, so it is not known what of it was sent',
				{},
				'Nothing more was sent. Set the input and the parameters back to what they were and press Retry of the execution that was cut off: what was sent is known then.',
			);

/** The failure of a send in an execution of which n8n has not kept all notes. */
const forgotten = (job: Job): Failure =>
	inDoubt(
		job,
		'More was sent in this execution than n8n keeps notes of, so it is not known whether this was',
		{},
		'Nothing more was sent. Next time let one execution send fewer, or give the node the whole list at once instead of a loop.',
	);

/** The failure of something of which nobody can tell now whether an earlier try has sent it. */
function notLookedUp({ message, description, facts }: Failure): Failure {
	const addition =
		'What an earlier try of this execution has sent could not be looked up. Once this is mended, press Retry of the execution that was cut off or has failed: what was sent is not sent again.';
	return new Failure(message, {
		outcome: 'unknown',
		description: `${description} ${addition}`,
		facts,
	});
}

/** The failure of something that an earlier request may have done all the same. */
const stillInDoubt = ({ message, description, statusCode, facts, binary }: Failure): Failure =>
	new Failure(message, {
		outcome: 'unknown',
		description: `${description} An earlier request for this may have arrived: it stays in doubt.`,
		statusCode,
		facts,
		binary,
	});

async function recent(call: Call, { list }: RecordLookUp, since: number): Promise<IDataObject[]> {
	const found = await failureOr(readNewest(call, list, { limit: Infinity, since }));
	return found instanceof Failure ? [] : found;
}

function inDoubt({ plan, key }: Job, message: string, facts: IDataObject, first = ''): Failure {
	const advice = plan ? unknownAdvice(plan.request) : '';
	return new Failure(message, {
		outcome: 'unknown',
		description: [first, advice].filter((text) => text !== '').join(' '),
		facts: { idempotencyKey: key, ...facts },
	});
}
