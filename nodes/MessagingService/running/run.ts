import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { connect, type Call } from '../api/client';
import { Failure } from '../api/failure';
import { failureOf, recordsIn, type Job } from '../job';
import type { Operation } from '../operation';
import { inputFailureOr, parameterReader, type Account } from '../parameters/read';
import { isPrivate } from '../parameters/schemas';
import { Sends } from '../sending/sends';
import { isTool } from '../sending/identity';
import { checkBalance } from './balance';
import { carryOut, isStopping } from './carryOut';
import { addHints } from './hints';
import { planRun } from './plan';
import { outputOf } from './report';
import { simulated } from './simulation';
import { groupSizeOf, noSettings, outOfTime, readSettings, timeLimitOf } from './settings';

/**
 * Runs an operation over all input items: all are checked first, then requests go out at the chosen pace. Throws
 * NodeApiError or NodeOperationError for the failure that stops a run (docs/contract.md, section 4).
 */
export async function run(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const { billable = false } = operation;
	// Agents before version 3 do not get to see an error that is thrown.
	const continueOnFail = context.continueOnFail() || isTool(context.getNode());
	const account: Account = { countryCodes: [], isPrivate: false };
	const reader = parameterReader(context, operation.fields, account);
	const setup = await inputFailureOr(0, async () => {
		const connection = await connect(context);
		const { baseUrl, countryCodes } = connection;
		Object.assign(account, { countryCodes, isPrivate: isPrivate(baseUrl) });
		return { connection, baseUrl, settings: readSettings(operation, reader) };
	});
	const setupFailure = setup instanceof Failure ? setup : undefined;
	const { connection, baseUrl, settings } = setup instanceof Failure ? unready(setup) : setup;
	const { timeout, resendUnknown, priceKind } = settings;
	const timeLimit = timeLimitOf(context);
	/** Responses to what was sent, in the order in which they came. */
	const paid: IDataObject[] = [];
	/** @param isFollowUp whether the calls follow a send: these start even if too little time is left */
	const calling =
		(isFollowUp: boolean): Call =>
		async (request) => {
			if (billable && !isFollowUp && timeLimit.leavesNoTime(timeout)) throw outOfTime();
			const timeoutLeft = billable ? Math.max(1, Math.min(timeout, timeLimit.left())) : timeout;
			const response = await connection(request, { timeout: timeoutLeft });
			if (request.endpoint.paidFrom !== undefined) paid.push(response);
			return response;
		};
	const call = calling(false);
	const followUp = calling(true);
	const planned = await planRun(context, operation, reader);
	const { jobs } = planned;
	for (const job of jobs) job.failure ??= setupFailure;
	const groupSize = groupSizeOf(settings, operation, jobs.length);
	const atOnce = operation.kind === 'joined' ? 1 : 2 * groupSize;
	const sends = billable
		? new Sends({ context, operation, baseUrl, resendUnknown, atOnce, call: followUp })
		: undefined;
	for (const job of jobs) {
		const { plan, failure } = job;
		if (job.isSimulated && plan && !failure)
			job.result = { records: [simulated(operation, { ...job, plan })] };
		else if (!sends && failure) job.result = { failure };
	}
	await sends?.applyEarlier(jobs);
	// A send made before the recipient opted out keeps its result.
	for (const job of jobs)
		if (job.excludedRecord)
			job.result ??= job.earlierUnknown
				? { failure: job.earlierUnknown, continues: true }
				: { records: [job.excludedRecord] };
	const checksBalance = priceKind !== undefined && (continueOnFail || !jobs.some(isStopping));
	const balanceFailure = checksBalance
		? await checkBalance(jobs, operation, priceKind, call)
		: undefined;
	if (balanceFailure) for (const job of jobs) job.result ??= { failure: balanceFailure };
	const parts = { context, operation, settings, call, followUp, sends, timeLimit, groupSize };
	await carryOut(jobs, { ...parts, continueOnFail });
	// n8n's MCP server calls a tool without an execution that anybody could retry.
	if (!context.getExecutionId()) void sends?.ledger?.forget();
	for (const job of jobs) keepUnknown(job);
	const output = outputOf(context, operation, planned, continueOnFail, sends);
	if (billable) addHints(context, jobs, paid);
	for (const message of planned.hints ?? []) context.addExecutionHints({ message });
	if (jobs.every(recordsIn)) await planned.finish?.(context, output);
	// With Retry On Fail, n8n reruns a node whose first item failed, even if the node continues on fail.
	const isTriedAgain =
		context.getNode().retryOnFail === true && output[0]?.json.error !== undefined;
	// No retry follows, so the remembered results of the sends are no longer needed.
	if (!isTriedAgain) sends?.memory.end();
	return output;
}

/** What a run has without credential or options: they failed all jobs, and fail all calls. */
const unready = (failure: Failure) => ({
	connection: async () => await Promise.reject<IDataObject>(failure),
	baseUrl: undefined,
	settings: noSettings,
});

/**
 * An earlier attempt's unknown send stays unknown unless this attempt succeeded (docs/contract.md, section
 * 4.4).
 */
function keepUnknown(job: Job): void {
	if (!job.earlierUnknown) return;
	job.result ??= { failure: job.earlierUnknown, continues: true };
	const failure = failureOf(job);
	if (!failure || failure.outcome === 'unknown') return;
	const advice = 'An earlier attempt may have sent this, so check before resending.';
	job.result = { failure: failure.asUnknown(advice) };
}
