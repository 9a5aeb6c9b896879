import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { connect } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import type { Call } from '../api/request';
import { parameterReader, type Reader } from '../parameters/read';
import { inputFailureOr } from './inputFailure';
import type { Operation } from './operation';
import { paced } from './pacing';
import { planRun, type Job, type Jobs } from './plan';
import { failedItem, nodeError, successItem } from './report';
import { Sender, type Result } from './sender';
import { readSettings, type Settings } from './settings';
import { stopReport } from './stopReport';

/**
 * Runs an operation over all input items: everything is checked first, requests go out at the
 * chosen pace, the first failure stops the run unless it continues on fail, and the output keeps
 * the order of the input (docs/contract.md, section 5).
 *
 * @throws NodeApiError or NodeOperationError for the failure that stopped the run
 */
export async function run(
	context: IExecuteFunctions,
	operation: Operation,
	continueOnFail: boolean,
): Promise<INodeExecutionData[]> {
	const reader = parameterReader(context, operation.fields);
	const planned = await planRun(context, operation, reader);
	const { jobs } = planned;
	const ready = await setUp(context, operation, reader);
	if (ready instanceof Failure) {
		const failures = jobs.map(({ failure }) => ({ failure: failure ?? ready }));
		return end(context, operation, planned, failures, continueOnFail ? -1 : 0);
	}
	const { settings, call } = ready;
	const signal = context.getExecutionCancelSignal();
	const sender = new Sender(context, operation, call, settings.resendUnknown);

	const results: Array<Result | undefined> = jobs.map((job, index) => sender.known(job, index));
	const firstFailed = () => (continueOnFail ? -1 : results.findIndex(isFailed));
	let stoppedBy = firstFailed();
	if (stoppedBy === -1) {
		await checkJoined(operation, reader, call, jobs, results, sender);
		stoppedBy = firstFailed();
	}
	const stopped = () => signal?.aborted === true || stoppedBy !== -1;
	await paced(
		jobs.length,
		settings,
		async (index) => {
			const job = jobs[index];
			if (!job || results[index]) return;
			const result = (results[index] = await sender.send(job, index, stopped));
			if (isFailed(result) && !continueOnFail && stoppedBy === -1) stoppedBy = index;
		},
		stopped,
		signal,
	);

	// What an earlier try had sent belongs to the report, too.
	jobs.forEach((job, index) => (results[index] ??= sender.before(job, index)));
	const output = end(context, operation, planned, results, stoppedBy);
	// n8n runs the node again when its first item failed, even if the node continues on fail.
	if (!results.every((result) => result && !isFailed(result))) return output;
	await planned.finish?.(context, output);
	sender.forget();
	return output;
}

/** The options of the run and the way to the service; a Failure holds for every item. */
async function setUp(
	context: IExecuteFunctions,
	operation: Operation,
	reader: Reader,
): Promise<{ settings: Settings; call: Call } | Failure> {
	const settings = await inputFailureOr(0, () => readSettings(operation, reader(0)));
	if (settings instanceof Failure) return settings;
	const connection = await failureOr(connect(context));
	if (connection instanceof Failure) return connection;
	const { timeout } = settings;
	return { settings, call: async (request) => await connection(request, { timeout }) };
}

const isFailed = (result: Result | undefined): result is { failure: Failure } =>
	result !== undefined && 'failure' in result;

/** If the requests that are still to be sent cannot all succeed, none of them goes out. */
async function checkJoined(
	operation: Operation,
	reader: Reader,
	call: Call,
	jobs: Job[],
	results: Array<Result | undefined>,
	sender: Sender,
): Promise<void> {
	if (operation.kind !== 'joined' || !operation.check) return;
	const pending = jobs.flatMap((job, index) =>
		results[index] || sender.before(job, index) ? [] : [{ facts: job.facts ?? {}, index }],
	);
	if (pending.length === 0) return;
	const facts = pending.map((one) => one.facts);
	const failure = await failureOr(operation.check(call, reader(0), facts));
	if (failure) for (const { index } of pending) results[index] = { failure };
}

/**
 * The output in input order.
 *
 * @throws NodeApiError or NodeOperationError for the failure that stopped the run
 */
function end(
	context: IExecuteFunctions,
	operation: Operation,
	{ jobs, notes = [] }: Jobs,
	results: Array<Result | undefined>,
	stoppedBy: number,
): INodeExecutionData[] {
	const stopping = results[stoppedBy];
	if (isFailed(stopping)) {
		const addition = stopReport(operation, results, stoppedBy);
		const itemIndex = jobs[stoppedBy]?.items[0] ?? 0;
		throw nodeError(context.getNode(), stopping.failure, itemIndex, addition);
	}
	const items: INodeExecutionData[] = [];
	jobs.forEach((job, index) => {
		const result = results[index];
		if (isFailed(result)) items.push(failedItem(result.failure, job));
		else for (const record of result?.records ?? []) items.push(successItem(record, job.items));
	});
	return [...items, ...notes.map(({ json, items: from }) => successItem(json, from))];
}
