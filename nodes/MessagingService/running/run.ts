import { sumBy } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { connect, type Call } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import type { Operation } from '../operation';
import { inputFailureOr, parameterReader } from '../parameters/read';
import { blockSize, Earlier, failedBy, isLong, keepDoubts } from '../sending/earlier';
import { flow, type Steps } from './flow';
import { lineageOf, serviceOf } from '../sending/identity';
import { failureOf, isInDoubt, recordsIn, sizeOf, type Job } from '../sending/job';
import { planRun, type Jobs } from './plan';
import { recovery, type Recovery } from '../sending/recovery';
import { outputOf } from './report';
import { asFailure, recordsOf, Sender, unsent } from './sender';
import { checkBalance, inDoubtAt, readSettings, type Settings } from './settings';
import { simulated, simulationHint } from './simulation';
import { outOfTime, timeLimitOf, type TimeLimit } from './timeLimit';

/** What the steps of a run work with. */
interface Run {
	context: IExecuteFunctions;
	operation: Operation;
	settings: Settings;
	call: Call;
	planned: Jobs;
	/** For requests that cost money. */
	earlier?: Earlier;
	recover: Recovery;
	timeLimit: TimeLimit;
	continueOnFail: boolean;
}

/**
 * Runs an operation over all input items: everything is checked first, requests go out at the
 * chosen pace, the first failure stops the run unless it continues on fail, and the output keeps
 * the order of the input (docs/contract.md, section 4).
 *
 * @throws NodeApiError or NodeOperationError for the failure that stopped the run
 */
export async function run(
	context: IExecuteFunctions,
	operation: Operation,
	continueOnFail: boolean,
): Promise<INodeExecutionData[]> {
	const { billable = false } = operation;
	const reader = parameterReader(context, operation.fields);
	const settings = await inputFailureOr(0, () => readSettings(operation, reader));
	const connection = await inputFailureOr(undefined, async () => await connect(context));
	if (!(connection instanceof Failure)) reader.countryCodes = connection.countryCodes;
	const isResent = !(settings instanceof Failure) && settings.resendUnknown;
	const timeLimit = timeLimitOf(context);
	const call: Call = async (request) => {
		if (settings instanceof Failure) throw settings;
		if (connection instanceof Failure) throw connection;
		const { timeout } = settings;
		if (billable && timeLimit.isOver(timeout)) throw outOfTime();
		const most = billable ? Math.min(timeout, timeLimit.left()) : timeout;
		return await connection(request, { timeout: most });
	};
	const earlier = billable
		? new Earlier({
				context,
				service: connection instanceof Failure ? undefined : serviceOf(connection.baseUrl),
				isJoined: operation.kind === 'joined',
				isResent,
				mostOpen: settings instanceof Failure ? 1 : inDoubtAt(settings, operation, false),
				recordsOf: (response, facts) => recordsOf(operation, response, facts),
			})
		: undefined;
	const sent = earlier?.chunks() ?? [];
	const planned = await planRun(context, operation, reader, { sent, isResent });
	const recover = recovery(call, operation.records, Number(lineageOf(context)));
	const blocked = [settings, connection].find((one) => one instanceof Failure);
	for (const job of planned.jobs) {
		if (job.isTrial && job.plan && !blocked)
			job.result = { records: [simulated(operation, job.plan, job.facts)] };
		else if (!earlier) job.result = failedBy(job.failure ?? blocked);
	}
	await earlier?.find(planned.jobs, blocked, recover);
	const sending = { context, operation, planned, earlier, continueOnFail };
	if (!(settings instanceof Failure) && !(connection instanceof Failure)) {
		const parts = { ...sending, settings, call, recover, timeLimit };
		await checkAll(parts);
		await sendAll(parts);
	}
	return await finish(sending);
}

async function sendAll({
	context,
	operation,
	planned: { jobs },
	settings,
	call,
	earlier,
	recover,
	timeLimit,
	continueOnFail,
}: Run): Promise<void> {
	const signal = context.getExecutionCancelSignal();
	const results = earlier?.results;
	// What could not be planned stops the run, and so does what this execution has in doubt.
	let isStopped = !continueOnFail && jobs.some(isStopping);
	let isOutOfTime = false;
	const stopped = (ahead?: number) => {
		isOutOfTime ||= operation.billable === true && timeLimit.isOver(settings.timeout, ahead);
		return signal?.aborted === true || isStopped || isOutOfTime;
	};
	const left = jobs.filter(({ result }) => !result);
	const rest = (failure: Failure) => {
		for (const job of left) job.result ??= { failure };
	};
	/** Without n8n's database nothing can be noted: of the rest nothing is sent. */
	const cannotNote = (failure: Failure): undefined => {
		isStopped = true;
		rest(failure);
	};
	// More than earlier tries, where something was sent again that was in doubt.
	if (results)
		results.round.spent = Math.max(results.round.spent, sumBy(jobs.filter(mayBeSent), sizeOf));
	const sender = new Sender({
		operation,
		call,
		results,
		signal,
		stopped,
		// Of a long list a block is told as a whole.
		accepted: async (job) => {
			if (job.send?.block === undefined) await earlier?.settle([[job, 'accepted']]);
		},
	});
	const carryOut: Steps<Job>['work'] = async (job, known) => {
		if (known !== 'new' && known !== 'again') {
			const isOwn = job.key === undefined;
			job.result = await earlier?.tell(job, known, recover, isOwn);
			if (isOwn) results?.spend(sizeOf(job));
			return 'free';
		}
		if (known === 'again') job.doubt ??= await recover.unknown(job);
		if (stopped()) return 'free';
		if (results?.spend(sizeOf(job), settings.maxSends) === false) {
			job.result = { failure: tooMany(settings.maxSends) };
			isStopped ||= !continueOnFail;
			return 'free';
		}
		const { result, fate } = await sender.send(job);
		if (fate === 'free') results?.spend(-sizeOf(job));
		job.result = result;
		isStopped ||= !continueOnFail && isStopping(job);
		return fate;
	};
	const inDoubtAtMost = inDoubtAt(settings, operation, isLong(jobs));
	const size = isLong(jobs) ? blockSize : Math.ceil(inDoubtAtMost / 2);
	const steps: Steps<Job> = {
		groups: (some) => earlier?.groups(some, size) ?? [some],
		begin: async (some) => {
			if (!earlier) return [];
			const known = await failureOr(earlier.begin(some));
			return known instanceof Failure ? cannotNote(known) : known;
		},
		// Whatever is thrown, what was noted ends: nothing else waits for it.
		work: async (job, known) =>
			await carryOut(job, known).catch((error: unknown) => {
				job.result = { failure: asFailure(error) };
				return 'unknown';
			}),
		settle: async (ended) => await earlier?.settle(ended),
		stopped,
	};
	if (!isStopped) await earlier?.adopt(jobs).catch(cannotNote);
	await flow(left, Math.floor(inDoubtAtMost / size), settings, steps, signal);
	if (isOutOfTime && !isStopped) rest(outOfTime());
	if (signal?.aborted) rest(notSentAnyMore());
}

/** If the balance does not cover all that is still to be sent, nothing of it goes out. */
async function checkAll({
	operation,
	settings: { price },
	call,
	planned: { jobs },
	continueOnFail,
}: Run): Promise<void> {
	if (!price || (!continueOnFail && jobs.some(isStopping))) return;
	const left = jobs.filter((job) => !job.result || (job.isTrial && !failureOf(job)));
	if (left.length === 0) return;
	const failure = await failureOr(unsent(checkBalance(call, operation, price, left)));
	if (failure) for (const job of left) job.result = { failure };
}

/** The output of a run, and what is still to be done once nothing is left to retry. */
async function finish({
	context,
	operation,
	planned,
	earlier,
	continueOnFail,
}: Pick<Run, 'context' | 'operation' | 'planned' | 'earlier' | 'continueOnFail'>): Promise<
	INodeExecutionData[]
> {
	const { jobs } = planned;
	keepDoubts(jobs);
	const output = outputOf(context, operation, planned, continueOnFail, earlier);
	const trials = jobs.flatMap((job) => (job.isTrial ? (recordsIn(job) ?? []) : []));
	if (trials.length > 0) context.addExecutionHints({ message: simulationHint(trials) });
	if (jobs.every(recordsIn)) await planned.finish?.(context, output);
	// n8n runs a node that retries again if its first item failed, although it continues on fail.
	const isTriedAgain =
		context.getNode().retryOnFail === true && output[0]?.json.error !== undefined;
	if (!isTriedAgain) earlier?.end();
	return output;
}

/** n8n has stopped the execution: what is left is told, not passed over. */
const notSentAnyMore = (): Failure =>
	new Failure('The execution was stopped before this was sent', {
		outcome: 'notSent',
		description: 'Run the workflow again for what is left.',
	});

/** Whether a job stops a run that does not continue on fail. */
const isStopping = ({ result }: Job): boolean =>
	result !== undefined && 'failure' in result && !result.isEarlier;

/** Whether somebody was reached or may have been. */
const mayBeSent = (job: Job): boolean =>
	!job.isTrial && job.result !== undefined && (!failureOf(job) || isInDoubt(job));

const tooMany = (most: number): Failure =>
	new Failure(
		`Max Sends allows ${most} in one execution, and with what is sent or under way this would be more`,
		{
			outcome: 'notSent',
			description:
				'Raise the option Max Sends if more are meant to go out, or find out why the workflow asks for more: a loop, an agent or a longer list.',
		},
	);
