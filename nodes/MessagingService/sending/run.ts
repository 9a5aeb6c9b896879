import { sumBy } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { connect, type Call } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import type { Operation } from '../operation';
import { inputFailureOr, parameterReader } from '../parameters/read';
import { Earlier, recovery, type Recovery } from './earlier';
import { flow, type Steps } from './flow';
import { lineageOf, serviceOf } from './identity';
import { failedBy, isFailed, planRun, sizeOf, type Job, type Jobs, type Result } from './plan';
import { outputOf } from './report';
import { recordsOf, Sender, unsent } from './sender';
import {
	checkBalance,
	inDoubtAt,
	outOfTime,
	readSettings,
	simulated,
	simulationHint,
	timeLimitOf,
	type Settings,
	type TimeLimit,
} from './settings';
import { isKnownAsWhole } from './wholeList';

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
	const reader = parameterReader(context, operation.fields);
	const settings = await inputFailureOr(0, () => readSettings(operation, reader));
	const connection = await inputFailureOr(undefined, async () => await connect(context));
	if (!(connection instanceof Failure)) reader.countryCodes = connection.countryCodes;
	const timeLimit = timeLimitOf(context);
	const call: Call = async (request) => {
		if (settings instanceof Failure) throw settings;
		if (connection instanceof Failure) throw connection;
		if (operation.billable && timeLimit.isOver(settings.timeout)) throw outOfTime();
		return await connection(request, {
			timeout: operation.billable ? Math.min(settings.timeout, timeLimit.left()) : settings.timeout,
		});
	};
	const earlier = operation.billable
		? new Earlier({
				context,
				service: connection instanceof Failure ? undefined : serviceOf(connection.baseUrl),
				isJoined: operation.kind === 'joined',
				isResent: settings instanceof Failure ? false : settings.resendUnknown,
				mostOpen: settings instanceof Failure ? 1 : inDoubtAt(settings, operation, false),
				recordsOf: (response, facts) => recordsOf(operation, response, facts),
			})
		: undefined;
	const planned = await planRun(context, operation, reader, earlier);
	const { jobs } = planned;
	const recover = recovery(call, operation.records, Number(lineageOf(context)));
	const blocked = [settings, connection].find((one) => one instanceof Failure);
	for (const job of jobs) {
		if (job.isTrial && job.plan && !blocked)
			job.result = { records: [simulated(operation, job.plan, job.facts)] };
		else if (!earlier) job.result = failedBy(job.failure ?? blocked);
	}
	await earlier?.find(jobs, blocked, recover);
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
	// What could not be planned stops the run, and so does what this execution has in doubt.
	let isStopped = !continueOnFail && jobs.some(isStopping);
	const done = (job: Job, result: Result | undefined) => {
		job.result = result;
		isStopped ||= !continueOnFail && isStopping(job);
	};
	let isOutOfTime = false;
	const stopped = (ahead?: number) => {
		isOutOfTime ||= operation.billable === true && timeLimit.isOver(settings.timeout, ahead);
		return signal?.aborted === true || isStopped || isOutOfTime;
	};
	const sender = new Sender({ operation, call, results: earlier?.results, signal });
	const left = jobs.filter(({ result }) => !result);
	const rest = (failure: Failure) => {
		for (const job of left) job.result ??= { failure };
	};
	earlier?.results.hasSpent(sumBy(jobs.filter(mayBeSent), sizeOf));
	/** Without n8n's database nothing can be noted: of the rest nothing is sent. */
	const cannotNote = (failure: Failure): undefined => {
		isStopped = true;
		rest(failure);
	};
	const steps: Steps<Job> = {
		stopped,
		begin: async (some, hurry) => {
			if (!earlier) return some.map(() => 'new');
			const known = await failureOr(earlier.begin(some, hurry));
			return known instanceof Failure ? cannotNote(known) : known;
		},
		work: async (job, known, settled) => {
			const size = sizeOf(job);
			if (known !== 'new') {
				const isOwn = job.key === undefined;
				done(job, await earlier?.tell(job, known, recover, isOwn));
				if (isOwn) earlier?.results.spend(size);
				return 'free';
			}
			if (earlier && !earlier.results.spend(size, settings.maxSends)) {
				done(job, { failure: tooMany(settings.maxSends) });
				return 'free';
			}
			const { result, fate } = await sender.send(
				job,
				stopped,
				async () => await settled('accepted'),
			);
			if (fate === 'free') earlier?.results.spend(-size);
			done(job, result);
			return fate;
		},
		settle: async (ended) => await earlier?.settle(ended),
	};
	try {
		if (!isStopped) await earlier?.adopt(jobs).catch(cannotNote);
		const mostOpen = inDoubtAt(settings, operation, isKnownAsWhole(jobs));
		await flow(left, settings, mostOpen, steps, signal);
	} finally {
		await earlier?.close();
	}
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
	const left = jobs.filter(({ result, isTrial }) => !result || (isTrial && !isFailed(result)));
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
	earlier?.keepDoubts(jobs);
	const elsewhere = earlier?.results.spentElsewhere() ?? 0;
	const output = outputOf(context, operation, planned, continueOnFail, elsewhere);
	const trials = jobs.flatMap(({ isTrial, result }) =>
		isTrial && result && !isFailed(result) ? result.records : [],
	);
	if (trials.length > 0) context.addExecutionHints({ message: simulationHint(trials) });
	if (jobs.every(({ result }) => result && !isFailed(result)))
		await planned.finish?.(context, output);
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

/** Whether it has failed now: what an earlier try has left in doubt stops nothing. */
const isStopping = ({ result }: Job): boolean => isFailed(result) && !result.isEarlier;

/** Whether somebody was reached or may have been. */
const mayBeSent = ({ isTrial, result }: Job): boolean =>
	!isTrial && result !== undefined && (!isFailed(result) || result.failure.outcome === 'unknown');

const tooMany = (most: number): Failure =>
	new Failure(
		`Max Sends allows ${most} in one execution, and with what is sent or under way this would be more`,
		{
			outcome: 'notSent',
			description:
				'Raise the option Max Sends if more are meant to go out, or find out why the workflow asks for more: a loop, an agent or a longer list.',
		},
	);
