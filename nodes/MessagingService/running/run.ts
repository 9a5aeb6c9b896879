import { pick } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { connect, type Call } from '../api/client';
import { Failure } from '../api/failure';
import { failureOf, recordsIn, type Job } from '../job';
import type { Operation } from '../operation';
import { inputFailureOr, parameterReader } from '../parameters/read';
import { Sends } from '../sending/sends';
import { isTool } from '../sending/identity';
import { checkBalance } from './balance';
import { carryOut, isStopping } from './carryOut';
import { EventSends } from './eventSends';
import { addHints } from './hints';
import { planRun } from './plan';
import { outputOf } from './report';
import { simulated, simulatedRetry } from './simulation';
import { groupSizeOf, outOfTime, readSettings, timeLimitOf } from './settings';

/**
 * Runs an operation over all input items. All are checked first, then requests go out at the chosen pace. The
 * first failure stops a run, except with continue on fail and in tools. Output keeps the input order
 * (docs/contract.md, section 4).
 *
 * @throws NodeApiError or NodeOperationError for the failure that stopped the run
 */
export async function run(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const { billable = false } = operation;
	// Agents before version 3 do not get to see an error that is thrown.
	const continueOnFail = context.continueOnFail() || isTool(context.getNode());
	const reader = parameterReader(context, operation.fields);
	const settings = await inputFailureOr(0, () => readSettings(operation, reader));
	const connection = await inputFailureOr(undefined, async () => await connect(context));
	if (!(connection instanceof Failure))
		Object.assign(reader, pick(connection, 'countryCodes', 'baseUrl'));
	const resendUnknown = !(settings instanceof Failure) && settings.resendUnknown;
	const timeLimit = timeLimitOf(context);
	/** Responses to what was sent, in the order in which they came. */
	const paid: IDataObject[] = [];
	const eventSends = billable ? new EventSends(context) : undefined;
	/** @param isFollowUp whether the calls follow a send: these start even if too little time is left */
	const calling =
		(isFollowUp: boolean): Call =>
		async (request) => {
			if (settings instanceof Failure) throw settings;
			if (connection instanceof Failure) throw connection;
			const { timeout } = settings;
			if (billable && !isFollowUp && timeLimit.leavesNoTime(timeout)) throw outOfTime();
			const timeoutLeft = billable ? Math.max(1, Math.min(timeout, timeLimit.left())) : timeout;
			const response = await connection(request, { timeout: timeoutLeft });
			if (request.endpoint.paidFrom !== undefined) paid.push(response);
			eventSends?.noteResponse(response);
			return response;
		};
	const call = calling(false);
	const followUp = calling(true);
	const planned = await planRun(context, operation, reader);
	const { jobs } = planned;
	const groupSize = settings instanceof Failure ? 1 : groupSizeOf(settings, operation, jobs.length);
	const sends = billable
		? new Sends({
				context,
				operation,
				baseUrl: connection instanceof Failure ? undefined : connection.baseUrl,
				resendUnknown,
				atOnce: operation.kind === 'joined' ? 1 : 2 * groupSize,
				call: followUp,
			})
		: undefined;
	const setupFailure = [settings, connection, eventSends?.unfilteredFailure()].find(
		(one) => one instanceof Failure,
	);
	for (const job of jobs) {
		const { plan } = job;
		const cause = job.failure ?? setupFailure;
		if (job.isSimulated && plan && !setupFailure)
			job.result = { records: [simulated(operation, { ...job, plan })] };
		else if (!sends && cause) job.result = { failure: cause };
	}
	await sends?.applyEarlier(jobs, setupFailure);
	// A retry that succeeds cannot be retried, so a simulated one would leave the rest unsent.
	if (context.getMode() === 'retry' && (sends?.memory.saved.reached ?? 0) > 0)
		for (const job of jobs) if (job.isSimulated) job.result = { failure: simulatedRetry() };
	// A send made before the recipient opted out keeps its result.
	for (const job of jobs)
		if (job.excludedRecord)
			job.result ??= job.earlierUnknown
				? { failure: job.earlierUnknown, continues: true }
				: { records: [job.excludedRecord] };
	if (!(settings instanceof Failure) && !(connection instanceof Failure)) {
		const { priceKind } = settings;
		const checksBalance = priceKind !== undefined && (continueOnFail || !jobs.some(isStopping));
		const balanceFailure = checksBalance
			? await checkBalance(jobs, operation, priceKind, call)
			: undefined;
		if (balanceFailure) for (const job of jobs) job.result ??= { failure: balanceFailure };
		const parts = { context, operation, settings, call, followUp, sends, timeLimit, groupSize };
		await carryOut(jobs, { ...parts, eventSends, continueOnFail });
	}
	// n8n's MCP server calls a tool without an execution that anybody could retry.
	if (!context.getExecutionId()) void sends?.ledger?.forget();
	for (const job of jobs) keepUnknown(job);
	const output = outputOf(context, operation, planned, continueOnFail, sends);
	addHints(context, operation, jobs, paid);
	if (jobs.every(recordsIn)) await planned.finish?.(context, output);
	// With Retry On Fail, n8n reruns a node whose first item failed, even if the node continues on fail.
	const isTriedAgain =
		context.getNode().retryOnFail === true && output[0]?.json.error !== undefined;
	// No retry follows, so the remembered results of the sends are no longer needed.
	if (!isTriedAgain) sends?.memory.end();
	return output;
}

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
