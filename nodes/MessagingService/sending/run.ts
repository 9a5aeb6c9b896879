import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Operation } from '../actions/operation';
import { connect } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import type { Call } from '../api/request';
import { wait } from '../sendAndWait/wait';
import { paced } from './pacing';
import { planRun, type Plan, type Planned } from './plan';
import { failedItem, nodeError, successItem } from './report';
import { Sender, type Result } from './sender';
import { defaultSettings, readSettings, type Settings } from './settings';
import { stopReport } from './stopReport';

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
	const planned = await planRun(context, operation);
	const { plans } = planned;
	const settings = await settingsFor(context, plans);
	const signal = context.getExecutionCancelSignal();
	const call = await callWith(context, settings.timeout);
	const sender = new Sender(context, operation, call, settings.resendUnknown);

	const results: Array<Result | undefined> = plans.map((plan, index) => known(plan, sender, index));
	const firstFailed = () => (continueOnFail ? -1 : results.findIndex(isFailed));
	let stoppedBy = firstFailed();
	if (stoppedBy === -1) {
		await checkJoined(operation, call, plans, results, sender);
		stoppedBy = firstFailed();
	}
	const stopped = () => signal?.aborted === true || stoppedBy !== -1;
	await paced(
		plans.length,
		'requests' in operation ? { batchSize: 1, batchInterval: 0 } : settings,
		async (index) => {
			const plan = plans[index];
			if (!plan || results[index]) return;
			const result = (results[index] = await sender.send(plan, index, stopped));
			if (isFailed(result) && !continueOnFail && stoppedBy === -1) stoppedBy = index;
		},
		stopped,
		signal,
	);

	const stopping = results[stoppedBy];
	if (isFailed(stopping)) {
		recall(plans, results, sender);
		const addition = stopReport(operation, results, stoppedBy);
		const itemIndex = plans[stoppedBy]?.items[0] ?? 0;
		throw nodeError(context.getNode(), stopping.failure, itemIndex, addition);
	}
	const output = collect(planned, results);
	// n8n runs the node again when its first item failed, even if the node continues on fail.
	if (!results.every((result) => result && !isFailed(result))) return output;
	if (planned.waitUntil) await wait(context, planned.waitUntil());
	sender.forget();
	return output;
}

/** Adds what an earlier try had sent to the results, without asking the service. */
function recall(plans: Plan[], results: Array<Result | undefined>, sender: Sender): void {
	plans.forEach(({ request, facts }, index) => {
		if (results[index] || request instanceof Failure) return;
		results[index] = sender.before(request, index, facts);
	});
}

/** The options of the run; wrong ones fail every plan. */
async function settingsFor(context: IExecuteFunctions, plans: Plan[]): Promise<Settings> {
	const settings = await readSettings(context);
	if (!(settings instanceof Failure)) return settings;
	for (const plan of plans) plan.request = settings;
	return defaultSettings;
}

const isFailed = (result: Result | undefined): result is { failure: Failure } =>
	result !== undefined && 'failure' in result;

/** A plan without a request has failed already, and so has one that must not be repeated. */
function known(plan: Plan, sender: Sender, index: number): Result | undefined {
	const { request } = plan;
	const failure = request instanceof Failure ? request : sender.unknownBefore(request, index);
	return failure && { failure };
}

/** If the requests that are still to be sent cannot all succeed, none of them goes out. */
async function checkJoined(
	operation: Operation,
	call: Call,
	plans: Plan[],
	results: Array<Result | undefined>,
	sender: Sender,
): Promise<void> {
	if (!('requests' in operation) || !operation.check) return;
	const pending = plans.flatMap(({ request, facts = {} }, index) =>
		request instanceof Failure || results[index] || sender.before(request, index)
			? []
			: [{ facts, index }],
	);
	const [first] = plans;
	if (!first || pending.length === 0) return;
	const facts = pending.map((one) => one.facts);
	const failure = await failureOr(operation.check(call, first.read, facts));
	if (failure) for (const { index } of pending) results[index] = { failure };
}

/** Requests with the credential; a credential that cannot be used fails each of them. */
async function callWith(context: IExecuteFunctions, timeout: number): Promise<Call> {
	const call = await failureOr(connect(context));
	if (call instanceof Failure) return async () => await Promise.reject(call);
	return async (request) => await call(request, { timeout });
}

/** The output in input order. */
function collect(
	{ plans, notes }: Planned,
	results: Array<Result | undefined>,
): INodeExecutionData[] {
	const items: INodeExecutionData[] = [];
	plans.forEach((plan, index) => {
		const result = results[index];
		if (isFailed(result)) items.push(failedItem(result.failure, plan));
		else for (const record of result?.records ?? []) items.push(successItem(record, plan.items));
	});
	return [...items, ...notes.map(({ json, items: from }) => successItem(json, from))];
}
