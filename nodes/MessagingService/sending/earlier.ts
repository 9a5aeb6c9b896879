import { uniq } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ApiRequest, Call } from '../api/client';
import { Failure, failureOr, unknownAdvice } from '../api/failure';
import { readNewest } from '../api/newest';
import type { Operation } from '../operation';
import { failureOf, isChunk, type Job, type Result } from '../job';
import {
	fingerprint,
	identify,
	identifyChunks,
	inputReader,
	inRowOrder,
	isTool,
	sourceOf,
} from './identity';
import { Results } from './results';
import { marked, openLog, twofold, type Known, type SendLog } from './sendLog';

/** Longer lists of single sends are known as a whole: n8n's row is written anew at every note. */
const longest = 2_000;

/** Sends of such a list that one entry stands for. */
export const blockSize = 10;

/** Executions of a tool that are kept although its calls went well: n8n runs an agent that has failed anew. */
const rerunnable = 100;

/** Whether a list of single sends is known as a whole. */
export const isLong = (jobs: Job[]): boolean =>
	!jobs.some(isChunk) && jobs.filter(({ source }) => source).length > longest;

export interface EarlierParts {
	context: IExecuteFunctions;
	operation: Operation;
	/** The service that sends go through; undefined where that cannot be told. */
	service: string | undefined;
	/** Whether what may have been sent is sent again. */
	isResent: boolean;
	/** Sends that a kill may leave in doubt. */
	mostOpen: number;
	call: Call;
}

/**
 * What earlier tries have left of the sends of a run, and what this one leaves: in the execution's own
 * data, and in n8n's database (docs/contract.md, sections 4.3 to 4.5).
 */
export class Earlier {
	readonly results: Results;

	/** Absent where nothing is noted: before all is asked for, and in a workflow that was never saved. */
	log: SendLog | undefined;

	/** Whether it is known of all sends what became of them, before the first begins. */
	private isAsked = true;

	/** What the service lists since the first try began, read once. */
	private list: Promise<IDataObject[] | Failure> | undefined;

	constructor(private readonly parts: EarlierParts) {
		this.results = new Results(parts.context, parts.operation, parts.service);
	}

	/** Whether this execution remembers all that was sent: else more may have been than is found. */
	get isRemembered(): boolean {
		const { isForgotten, isElsewhere, saved } = this.results;
		return !isForgotten && !isElsewhere && !saved.isAnew;
	}

	/** Tells what became of jobs, before anything is sent; `blocked` says why none can be sent now. */
	async find(jobs: Job[], blocked: Failure | undefined): Promise<void> {
		const { context, service } = this.parts;
		const inputOf = inputReader(context);
		const left = jobs.filter(({ result }) => !result);
		for (const job of left) {
			job.input = inputOf(job.items);
			job.source = service === undefined ? undefined : sourceOf(job, service);
			this.recall(job);
		}
		// In a first try all that is known is remembered.
		const isRetry = context.getMode() === 'retry';
		const isAsked = isRetry || jobs.some(({ result, failure }) => !result && !failure && !blocked);
		const asked = isAsked ? await failureOr(this.ask(jobs, blocked)) : undefined;
		if (blocked && !asked) await this.leave(left, blocked);
		for (const job of left) {
			const cause = job.failure ?? blocked ?? asked;
			// Another execution may have sent what has a key.
			const isLost = asked && (isRetry || (cause === asked && job.key !== undefined));
			job.result ??= failedBy(cause && isLost ? notLookedUp(cause) : cause);
		}
	}

	/**
	 * The result of a job of which the log knows that it went out or may have.
	 *
	 * @param isOwn whether this execution has sent it: of a key that is known, another one may have
	 */
	async tell(job: Job, known: Known, isOwn = true): Promise<Result> {
		if (known !== 'accepted')
			return { failure: await this.doubtOf(job, known === 'unclear'), isEarlier: true };
		const response = await this.responseTo(job);
		if (isOwn) this.results.remember(job, response);
		return { records: [{ ...response, ...job.facts }] };
	}

	/**
	 * The failure of a send that may have been accepted, with what the service lists for its recipient. A
	 * record never makes a send accepted: it may be that of somebody else's message to the same number.
	 *
	 * @param isUnclear whether it is only known that something went to its recipient
	 */
	async doubtOf(job: Job, isUnclear = false): Promise<Failure> {
		const { plan, key } = job;
		const own = key === undefined ? cutOff : keyInDoubt(key);
		const candidates = await this.listed(plan?.request);
		return inDoubt(job, isUnclear ? unaccounted : own, { candidates });
	}

	/** What stands for the response to a send that was accepted. */
	private async responseTo({ plan, key }: Job): Promise<IDataObject> {
		// What another execution has sent is not looked for.
		if (key !== undefined)
			return { alreadySent: true, idempotencyKey: key, ...plan?.followed?.(undefined) };
		const [first, ...others] = (await this.listed(plan?.request)) ?? [];
		const record = others.length === 0 ? first : undefined;
		return { alreadySent: true, ...(record && { record }), ...plan?.followed?.(record) };
	}

	/**
	 * What the service lists for the recipient of a request; nothing where that cannot be read, and
	 * undefined where nobody knows since when: a crash takes along when a sub-workflow began.
	 */
	private async listed(request: ApiRequest | undefined): Promise<IDataObject[] | undefined> {
		const { context, call, operation } = this.parts;
		const { records } = operation;
		const { establishedAt: since, source } = context.getExecutionContext() ?? {};
		if (source === 'retry') return undefined;
		if (!records || !request) return [];
		this.list ??= failureOr(readNewest(call, records.list, { limit: Infinity, since }));
		const all = await this.list;
		const recipient = records.recipientOf(request);
		if (all instanceof Failure) return [];
		return all.filter((record) => records.recipientIn(record) === recipient);
	}

	/** Tells which jobs that are not sent now may have been before; with `isRefused` n8n's database cannot be asked. */
	async leave(jobs: Job[], failure: Failure, isRefused = false): Promise<void> {
		const { log, isAsked } = this;
		const isChanged = log?.tries.isChanged === true;
		const isTold = isChanged && isAsked && !isRefused;
		const unclear = isTold ? await failureOr(log.unclear(jobs)) : failure;
		for (const job of jobs) {
			const mayBe = isChanged || (isRefused && job.key !== undefined);
			if (unclear instanceof Failure && mayBe) job.result ??= failedBy(notLookedUp(failure));
			else if (unclear instanceof Set && unclear.has(job))
				job.result = await this.tell(job, 'unclear');
		}
	}

	/** What was in doubt before and was not accepted now stays so (docs/contract.md, section 4.4). */
	keepDoubts(jobs: Job[]): void {
		// Nobody can retry what is no execution: n8n's MCP server calls a tool without an id.
		if (!this.parts.context.getExecutionId()) this.log?.forget();
		for (const job of jobs) {
			const { doubt, result } = job;
			const failure = failureOf(job);
			if (doubt && !result) job.result = { failure: doubt, isEarlier: true };
			if (!failure || failure.outcome === 'unknown') continue;
			const addition = doubt ? stillInDoubt : sentElsewhere;
			if (doubt || this.results.isElsewhere) job.result = failedBy(asUnknown(failure, addition));
		}
	}

	/** Forgets a run that has ended well: n8n has its output, and no retry will ask for it. */
	end(): void {
		const { context } = this.parts;
		this.results.end();
		// The execution that a retry was made from can be retried again, and one that was stopped begins anew.
		context.onExecutionFinish?.(() => {
			if (context.getMode() === 'retry' || context.getExecutionCancelSignal()?.aborted) return;
			this.log?.forget(isTool(context.getNode()) ? rerunnable : 0);
		});
	}

	/** Gives a job the result that this execution remembers. */
	private recall(job: Job): void {
		const { results, parts } = this;
		const known = results.recall(job);
		const elsewhere = job.source && results.unknownElsewhere(job.source.content);
		const result = known ?? failedBy(elsewhere);
		const isDoubtful = result !== undefined && 'failure' in result;
		if (!isDoubtful || !parts.isResent) job.result = result;
		else if (known) job.doubt = result.failure;
	}

	/** Tells what the log knows of jobs that are not remembered; gives or throws a Failure if it cannot be asked. */
	private async ask(jobs: Job[], blocked: Failure | undefined): Promise<Failure | undefined> {
		const { context, operation, service, isResent, mostOpen } = this.parts;
		const isJoined = operation.kind === 'joined';
		const log = await openLog(context, this.results, isResent, mostOpen);
		this.log = log;
		if (!log) return undefined;
		const isWhole = isLong(jobs) || jobs.some(isChunk);
		const isBroken = isJoined && !jobs.some(({ plan }) => plan);
		const broken = blocked ?? (isBroken ? jobs.at(-1)?.failure : undefined);
		if (service === undefined || (broken && (isJoined || isWhole)))
			return this.isRemembered ? undefined : broken;
		this.name(jobs, service, log.tries.name);
		const key = isJoined ? jobs.find((job) => job.key !== undefined)?.key : undefined;
		const keyed = key && `${service} ${key}`;
		const cut = isWhole ? await cutOf(log, this.results, jobs, keyed) : 'same';
		for (const job of cut === 'same' ? [] : jobs) {
			if (job.failure) job.result ??= failedBy(notLookedUp(job.failure));
			// Its place stands for others, so only its key tells of a send.
			else if (cut === 'hasKey') job.send = { ids: [], key: job.send?.key };
			else job.result ??= failedBy(inOtherList(job, cut === 'otherOfKey'));
		}
		// The sends of a long list are asked for as they begin.
		this.isAsked = !isLong(jobs);
		if (log.tries.isRetry && this.isAsked) await this.askEach(log, jobs);
		return undefined;
	}

	/** Says by what other tries and executions know the sends. */
	private name(jobs: Job[], service: string, name: string): void {
		const { results } = this;
		const numbering = results.numbering();
		const ordered = inRowOrder(jobs);
		if (jobs.some(isChunk)) identifyChunks(ordered, name, numbering);
		else if (!isLong(jobs)) identify(jobs, name, numbering);
		else {
			const list = `${name} ${results.round.number}`;
			for (const [place, job] of jobs.filter(({ source }) => source).entries()) {
				const block = `${list} block ${Math.floor(place / blockSize)}`;
				job.send = { ids: [`${list} at ${place}`], block };
			}
		}
		const chunks: Record<string, number> = {};
		for (const job of ordered) {
			const { send, source, key } = job;
			if (!send || !source) continue;
			// A key is that of all campaigns of a run: of chunks to the same recipients each has its own.
			const number = (chunks[source.to] = (chunks[source.to] ?? 0) + 1);
			const own = isChunk(job) ? ` ${source.to} ${number}` : '';
			if (key !== undefined) send.key = `key ${service} ${key}${own}`;
		}
	}

	private async askEach(log: SendLog, jobs: Job[]): Promise<void> {
		const { isResent } = this.parts;
		const { marks } = log.tries;
		const left = jobs.filter(({ result }) => !result);
		const sends = left.flatMap(({ send }) => send ?? []);
		const known = await log.find(sends);
		for (const job of left) {
			const one = job.send && known[sends.indexOf(job.send)];
			if (one === 'unknown' && isResent) job.doubt ??= await this.doubtOf(job);
			else if (one === 'accepted' || one === 'unknown') job.result = await this.tell(job, one);
			// An item that cannot be read is known by nothing.
			else if (job.failure && !this.isRemembered) job.result = failedBy(notLookedUp(job.failure));
			else if (job.send?.each === undefined) continue;
			else if (marks.has('lists')) job.result = failedBy(inOtherList(job));
			else if (marks.has('forgetful') && !isResent) job.result = failedBy(forgotten(job));
		}
	}
}

/**
 * What earlier tries make of a list that is known as a whole: it is the `same`; it is another one, but
 * each item `hasKey` in all tries; or it is `other` than in an earlier try, or `otherOfKey` than in
 * whatever execution had its key.
 */
type Cut = 'same' | 'hasKey' | 'other' | 'otherOfKey';

/**
 * Notes how this try has cut its list, and tells whether an earlier try that this execution does not
 * know all of has cut it otherwise: then the same places and chunks may stand for other people.
 *
 * @param key of a campaign: it is cut the same way in all executions that have it
 * @throws Failure when n8n's database refuses
 */
async function cutOf(
	log: SendLog,
	{ saved, round }: Results,
	jobs: Job[],
	key: string | undefined,
): Promise<Cut> {
	const { name, isRetry, marks } = log.tries;
	const all = inRowOrder(jobs);
	const whom = all.map(({ source }) => source?.to);
	const campaigns = all.map(({ campaign }) => campaign);
	const hasKeys = !jobs.some((job) => isChunk(job) || (job.source && job.key === undefined));
	// The same people, and for them the same input or the same that is sent; of a campaign its template.
	const prints = [
		all.map(({ input }) => input),
		all.map(({ source, campaign }) => campaign ?? source?.content),
	].map((what) => fingerprint(whom, what));
	// A key stands for whatever they are sent, unless it is that of several campaigns.
	const ofKey = [fingerprint(whom, uniq(campaigns).length > 1 ? campaigns : [])];

	const cut = async (list: string, same: string[], isAsked: boolean): Promise<Cut> => {
		const known = round.cuts[list] ?? 0;
		return await log.turn(async (row) => {
			for (let number = known, isSame = true, isKeyed = hasKeys; ; number++) {
				const mark = `${list} ${number}`;
				const own = same.map((print) => `${mark} ${print}`);
				const keyed = `${mark} keyed`;
				const isThere = isAsked && (await marked(row, [mark])).size > 0;
				if (!isThere) {
					await row.note(twofold([mark, ...own, ...(hasKeys ? [keyed] : [])]));
					if (number === known) round.cuts[list] = number + 1;
					return isSame ? 'same' : 'hasKey';
				}
				const before = await marked(row, [...own, keyed]);
				isSame &&= own.some((print) => before.has(print));
				isKeyed &&= before.has(keyed);
				if (!isSame && !isKeyed) return 'other';
			}
		});
	};

	// After single sends nothing tells which of them the list holds, and after a list that was refused
	// nothing tells which of the later ones went out before.
	const { refusedIn = round.number } = saved;
	const isTold = round.number <= refusedIn && !marks.has('sends') && !marks.has('forgetful');
	const own = isTold ? await cut(`${name} list ${round.number}`, prints, isRetry) : 'other';
	if (own === 'other') saved.refusedIn ??= round.number;
	else if (refusedIn === round.number) delete saved.refusedIn;
	const shared = key === undefined ? 'same' : await cut(`list of ${key}`, ofKey, true);
	return own === 'same' && shared === 'other' ? 'otherOfKey' : own;
}

const cutOff =
	'An earlier try of this execution ended while this was being sent: it may have arrived';

const keyInDoubt = (key: string): string =>
	`The key "${key}" is in doubt: an earlier try or another execution may have sent this`;

const unaccounted =
	'An earlier try of this execution has sent something to this recipient that no item of the list stands for now: it may have been this';

const stillInDoubt = 'An earlier request for this may have arrived: it stays in doubt.';

const sentElsewhere =
	'Earlier tries of this execution have sent through another base URL: what was sent there is not known here. Set the base URL of the credential back to what it was and press Retry: what was sent is not sent again.';

export const failedBy = (failure: Failure | undefined): Result | undefined =>
	failure && { failure };

/** The failure of a send in a list that is not the one of before: some of it may have been sent. */
const inOtherList = (job: Job, isOfKey = false): Failure => {
	const message = isOfKey
		? `The key "${job.key}" was used before, for other recipients or campaigns: whom of these it has reached is not known`
		: 'The list is another one than in an earlier try, so it is not known what of it was sent';
	const advice = isOfKey
		? 'Give these recipients a key of their own, or set the input and the parameters back to what they were.'
		: `Set the input and the parameters back to what they were and press Retry of the same execution: what was sent is known then.${isChunk(job) ? '' : ' With Send Only Once per Key, a key for each item, the next execution knows them in any list.'}`;
	return new Failure(message, {
		outcome: 'unknown',
		description: `Nothing more was sent, and Send Again If Unsure sends nothing of it. ${advice} ${job.plan?.request.endpoint.lookUp ?? ''}`,
		facts: { idempotencyKey: job.key },
	});
};

/** The failure of a send that may have been made before; `first` says what to do before all else. */
function inDoubt({ plan, key }: Job, message: string, facts: IDataObject, first = ''): Failure {
	const advice = plan ? unknownAdvice(plan.request) : '';
	return new Failure(message, {
		outcome: 'unknown',
		description: `${first} ${advice}`.trim(),
		facts: { idempotencyKey: key, ...facts },
	});
}

/** The failure of a send in an execution of which n8n has not kept all notes. */
const forgotten = (job: Job): Failure =>
	inDoubt(
		job,
		'More was sent in this execution than n8n keeps notes of, so it is not known whether this was',
		{},
		'Nothing more was sent. Next time let one execution send fewer, or give the node the whole list at once instead of a loop.',
	);

/** The failure of something of which nobody can tell now whether an earlier try has sent it. */
const notLookedUp = (failure: Failure): Failure =>
	asUnknown(
		failure,
		'What an earlier try of this execution, or another one with its key, has sent could not be looked up. Once this is mended, press Retry of the execution that was cut off or has failed: what was sent is not sent again.',
	);

/** A failure of what may have been sent all the same. */
const asUnknown = ({ message, ...others }: Failure, addition: string): Failure =>
	new Failure(message, {
		...others,
		outcome: 'unknown',
		description: `${others.description} ${addition}`,
	});
