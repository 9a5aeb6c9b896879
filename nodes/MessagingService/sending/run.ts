import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { connect, type Connection, type Call } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import { parameterReader, type Reader } from '../parameters/read';
import type { Claims } from './claims';
import { withoutSent } from './divided';
import { accountOf, inputReader, lineageOf, runOf } from './identity';
import { inputFailureOr } from './inputFailure';
import type { Fate } from './ledger';
import { Memory } from './memory';
import type { Operation } from './operation';
import { paced } from './pacing';
import { planJoined, planRun, type Earlier, type Job, type Jobs, type SentJob } from './plan';
import { recovery } from './recover';
import { failedItem, nodeError, successItem } from './report';
import { RunLedger } from './runLedger';
import { Sender, type Result } from './sender';
import { readSettings, type Settings } from './settings';
import { isSimulated, simulated } from './simulate';
import { stopReport } from './stopReport';

/** The results of the jobs of a run, by index. */
type Results = Array<Result | undefined>;

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
	const ready = await setUp(context, operation, reader);
	if (ready instanceof Failure) {
		const planned = await planRun(context, operation, reader);
		const results = planned.jobs.map(({ failure }) => ({ failure: failure ?? ready }));
		return end(context, operation, planned, results, continueOnFail);
	}
	const { settings, connection, isTrial } = ready;
	reader.countryCodes = connection.countryCodes;
	const account = accountOf(context, connection.baseUrl);
	const earlier = operation.billable && !isTrial ? remember(context, account, settings) : undefined;
	const first = await planRun(context, operation, reader, earlier);
	const ledger = earlier && RunLedger.of(context, first, settings, earlier, account);
	const { timeout } = settings;
	const call: Call = async (request) => await connection(request, { timeout });
	const parts = { context, operation, reader, settings, call, earlier, continueOnFail };
	if (isTrial) return await trial({ ...parts, planned: first });
	const work = async () => {
		const divided = await failureOr(divide(parts, first, ledger));
		if (!(divided instanceof Failure)) {
			const sending = { ...parts, ...divided };
			return await finish(sending, await sendAll(sending));
		}
		const results = first.jobs.map(() => ({ failure: divided }));
		return end(context, operation, first, results, continueOnFail);
	};
	return ledger ? await ledger.alone(work) : await work();
}

/** Leaves out what other tries have sent, and claims the rest; throws Failure. */
async function divide(
	{ context, operation, reader, earlier }: Parts,
	planned: Jobs,
	ledger: RunLedger | undefined,
): Promise<Pick<Sending, 'planned' | 'claims'>> {
	if (!ledger || !earlier) return { planned };
	let left = planned;
	if (operation.kind === 'joined') {
		const plan = async (sent: SentJob[], size?: number) =>
			await planJoined(context, operation, reader, sent, size);
		left = await withoutSent({ planned, earlier, ledger, plan });
	}
	return { planned: left, claims: await ledger.claims(left) };
}

/** What the steps of a run work with. */
interface Parts {
	context: IExecuteFunctions;
	operation: Operation;
	reader: Reader;
	settings: Settings;
	call: Call;
	earlier: Earlier | undefined;
	continueOnFail: boolean;
}

/** A run whose requests are planned. */
interface Sending extends Parts {
	planned: Jobs;
	claims?: Claims;
}

/** The options of the run and the way to the service; a Failure holds for every item. */
async function setUp(
	context: IExecuteFunctions,
	operation: Operation,
	reader: Reader,
): Promise<{ settings: Settings; connection: Connection; isTrial: boolean } | Failure> {
	const options = await inputFailureOr(0, () => ({
		settings: readSettings(operation, reader(0)),
		isTrial: isSimulated(context, operation, reader(0)),
	}));
	if (options instanceof Failure) return options;
	const connection = await failureOr(connect(context));
	return connection instanceof Failure ? connection : { ...options, connection };
}

/** What earlier tries have left in the execution's own data. */
const remember = (
	context: IExecuteFunctions,
	account: string,
	{ resendUnknown }: Settings,
): Earlier => ({
	resendUnknown,
	memory: new Memory(context, `${runOf(context)} ${account}`),
	inputOf: inputReader(context),
});

/** Makes no billable request, but all checks. */
async function trial(sending: Sending): Promise<INodeExecutionData[]> {
	const { context, operation, planned, continueOnFail } = sending;
	const results: Results = planned.jobs.map(({ failure }) => failure && { failure });
	await checkJoined(sending, results, () => true);
	planned.jobs.forEach(({ plan, facts }, index) => {
		if (plan) results[index] ??= { records: [{ ...simulated(operation, plan.request), ...facts }] };
	});
	return end(context, operation, planned, results, continueOnFail);
}

async function sendAll(sending: Sending): Promise<Results> {
	const { context, operation, planned, settings, call, earlier, claims, continueOnFail } = sending;
	const { jobs } = planned;
	const signal = context.getExecutionCancelSignal();
	const recover = recovery(call, operation.records, Number(lineageOf(context)));
	const { resendUnknown } = settings;
	const parts = { context, operation, call, earlier, claims, recover, resendUnknown };
	const sender = new Sender(parts);

	const results: Results = jobs.map((job) => sender.known(job));
	// What could not be planned stops the run, and so does what an earlier try has reported in doubt.
	let isStopped = !continueOnFail && results.some(isFailed);
	const fail = (result: Result | undefined) => {
		if (!continueOnFail && isFailed(result) && !result.isEarlier) isStopped = true;
	};
	const isLeft = (job: Job) => job.claim === undefined && sender.before(job) === undefined;
	if (!isStopped) await checkJoined(sending, results, isLeft);
	const stopped = () => signal?.aborted === true || isStopped;
	const busy = new Map<number, Promise<Fate>>();
	const work = async (index: number) => {
		const job = jobs[index];
		if (!job || results[index]) return;
		const result = sender.before(job) ?? (await sender.send(job, index, stopped));
		if (result && 'busy' in result) return void busy.set(index, result.busy);
		results[index] = result;
		fail(result);
	};
	try {
		await paced(jobs.length, settings, work, stopped, signal);
		if (busy.size > 0) await claims?.flush();
		for (const [index, fate] of busy) {
			const job = jobs[index];
			if (!job || stopped()) continue;
			results[index] = await sender.sendAfter(fate, job, index, stopped);
			fail(results[index]);
			// Before this run waits again: the other one may wait for this send.
			await claims?.flush();
		}
	} finally {
		await claims?.close().catch(() => {});
	}
	jobs.forEach((job, index) => {
		// What an earlier try had sent belongs to the report, too.
		results[index] ??= sender.before(job) ?? (signal?.aborted ? notSentAnyMore() : undefined);
	});
	return results;
}

/**
 * If the requests that are still to be sent cannot all succeed, none of them goes out.
 *
 * @param results get the failure
 */
async function checkJoined(
	{ operation, reader, call, planned: { jobs } }: Sending,
	results: Results,
	isLeft: (job: Job) => boolean,
): Promise<void> {
	if (operation.kind !== 'joined' || !operation.check) return;
	const left = jobs.flatMap((job, index) =>
		!results[index] && isLeft(job) ? [{ facts: job.facts ?? {}, index }] : [],
	);
	if (left.length === 0) return;
	const facts = left.map((one) => one.facts);
	const failure = await failureOr(operation.check(call, reader(0), facts));
	if (!failure) return;
	for (const { index } of left) results[index] = { failure };
}

/** The output of a run, and what is still to be done once nothing is left to retry. */
async function finish(sending: Sending, results: Results): Promise<INodeExecutionData[]> {
	const { context, operation, planned, earlier, claims, continueOnFail } = sending;
	const output = end(context, operation, planned, results, continueOnFail);
	if (results.every((result) => result && !isFailed(result)))
		await planned.finish?.(context, output);
	// n8n runs a node that retries again if its first item failed, although it continues on fail.
	const isTriedAgain =
		context.getNode().retryOnFail === true && output[0]?.json.error !== undefined;
	if (isTriedAgain) return output;
	earlier?.memory.clear();
	// The output is saved with the execution: a retry of it begins behind this node.
	context.onExecutionFinish?.(async () => await claims?.forget());
	return output;
}

/** n8n has stopped the execution: what is left is told, not passed over. */
const notSentAnyMore = (): Result => ({
	failure: new Failure('The execution was stopped before this was sent', {
		outcome: 'notSent',
		description: 'Run the workflow again for what is left.',
	}),
});

const isFailed = (result: Result | undefined): result is { failure: Failure; isEarlier?: true } =>
	result !== undefined && 'failure' in result;

/**
 * The output in input order.
 *
 * @throws NodeApiError or NodeOperationError for the first failure, unless the run continues on fail
 */
function end(
	context: IExecuteFunctions,
	operation: Operation,
	{ jobs, notes = [] }: Jobs,
	results: Results,
	continueOnFail: boolean,
): INodeExecutionData[] {
	const first = continueOnFail ? -1 : results.findIndex(isFailed);
	const failed = results[first];
	if (isFailed(failed)) {
		const addition = stopReport(operation, results, first);
		const itemIndex = jobs[first]?.items[0] ?? 0;
		throw nodeError(context.getNode(), failed.failure, itemIndex, addition);
	}
	const items: INodeExecutionData[] = [];
	jobs.forEach((job, index) => {
		const result = results[index];
		if (isFailed(result)) items.push(failedItem(result.failure, job));
		else for (const record of result?.records ?? []) items.push(successItem(record, job.items));
	});
	return [...items, ...notes.map(({ json, items: from }) => successItem(json, from))];
}
