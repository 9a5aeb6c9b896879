import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Operation } from '../actions/operation';
import { connect } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import type { Call } from '../api/request';
import { paced } from './pacing';
import { planItems, type Plan } from './plan';
import { failedItem, nodeError, successItem } from './report';
import { Sender } from './sender';
import { readSettings } from './settings';
import { stopReport } from './stopReport';

/** What became of one plan; absent while nothing has happened. */
export type Result = { records: IDataObject[] } | { failure: Failure };

/**
 * Runs an operation over all input items: everything is checked first, requests go out at the
 * chosen pace, the first failure stops the run unless it continues on fail, and the output keeps
 * the order of the input (contract, rules for billable requests).
 *
 * @throws NodeApiError or NodeOperationError for the failure that stopped the run
 */
export async function run(
	context: IExecuteFunctions,
	operation: Operation,
	continueOnFail: boolean,
): Promise<INodeExecutionData[]> {
	const plans = await planItems(context, operation);
	const settings = readSettings(context);
	const signal = context.getExecutionCancelSignal();
	const sender = new Sender(
		context,
		operation,
		await callWith(context, settings.timeout),
		settings.resendUnknown,
	);

	const results: Array<Result | undefined> = plans.map((plan, index) => known(plan, sender, index));
	let failed = results.findIndex((result) => result && 'failure' in result);
	if (failed === -1 || continueOnFail) {
		failed = -1;
		await paced(
			plans.length,
			settings,
			async (index) => {
				const plan = plans[index];
				if (!plan || results[index]) return;
				const result = await sender.send(plan, index);
				results[index] = result;
				if ('failure' in result && failed === -1) failed = index;
			},
			() => signal?.aborted === true || (failed !== -1 && !continueOnFail),
			signal,
		);
	}

	const result = results[failed];
	if (result && 'failure' in result && !continueOnFail) {
		throw nodeError(
			context.getNode(),
			result.failure,
			plans[failed]?.items[0] ?? 0,
			stopReport(results, failed, operation.billable === true),
		);
	}
	return collect(plans, results, sender);
}

/** A plan without a request has failed already, and so has one that must not be repeated. */
function known(plan: Plan, sender: Sender, index: number): Result | undefined {
	const failure =
		plan.request instanceof Failure ? plan.request : sender.unknownBefore(plan.request, index);
	return failure && { failure };
}

/** Requests with the credential; a credential that cannot be used fails each of them. */
async function callWith(context: IExecuteFunctions, timeout: number): Promise<Call> {
	const call = await failureOr(connect(context));
	if (call instanceof Failure) return async () => await Promise.reject(call);
	return async (request) => await call(request, { timeout });
}

/** The output in input order; the memory is kept as long as something could be retried. */
function collect(
	plans: Plan[],
	results: Array<Result | undefined>,
	sender: Sender,
): INodeExecutionData[] {
	const items: INodeExecutionData[] = [];
	let complete = true;
	plans.forEach((plan, index) => {
		const result = results[index];
		if (!result || 'failure' in result) complete = false;
		if (!result) return;
		if ('failure' in result) items.push(failedItem(result.failure, plan.items));
		else for (const record of result.records) items.push(successItem(record, plan.items));
	});
	// n8n runs the node again when the first item failed, even if the node continues on fail.
	if (complete) sender.forget();
	return items;
}
