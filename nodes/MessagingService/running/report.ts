import { compact, memoize, uniq } from 'lodash';
import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type JsonObject,
} from 'n8n-workflow';
import { InputFailure, itemName, type Failure } from '../api/failure';
import type { Operation, OutputItem } from '../operation';
import { sentTo } from '../sending/identity';
import type { Sends } from '../sending/sends';
import { failureOf, isUncertain, recordsIn, sentRecords, type Job } from '../job';
import { type Jobs } from './plan';

/** The output. Throws a node error for the first failure, unless the run continues on fail. */
export function outputOf(
	context: IExecuteFunctions,
	operation: Operation,
	{ jobs, output }: Jobs,
	continueOnFail: boolean,
	sends: Sends | undefined,
): INodeExecutionData[] {
	const failed = jobs.flatMap((job): FailedJob[] =>
		job.result && 'failure' in job.result ? [{ job, ...job.result }] : [],
	);
	// A failure that stopped the run comes first.
	const first = failed.find(({ continues }) => !continues) ?? failed[0];
	if (first && !continueOnFail) {
		// If all items have the same failure, no single item is to blame.
		const blamesOneItem =
			!first.failure.isOfRun &&
			(jobs.length === 1
				? first.job.items.length === 1
				: failed.length < jobs.length || !failed.every((one) => isSame(one, first)));
		const [item = 0, otherItem] = first.job.items;
		const recipient = shownRecipient(context, operation, first.job);
		const description = compact([
			blamesOneItem &&
				jobs.length > 1 &&
				otherItem === undefined &&
				recipient !== undefined &&
				`This is the request to ${recipient}.`,
			first.failure.description,
			sends && blamesOneItem && hasOthers(operation, jobs) && othersAdvice,
			sends && sentBefore(context, operation, jobs, first.job, sends),
		]).join(' ');
		throw nodeError(context.getNode(), first, description, blamesOneItem ? item : undefined);
	}
	return output ? plannedOutput(output, jobs) : jobs.flatMap((job) => outputOfJob(operation, job));
}

/** The items of one job. */
function outputOfJob(operation: Operation, job: Job): INodeExecutionData[] {
	const parts = job.plan?.isPerItem ? job.items.map((item) => [item]) : [job.items];
	const failure = failureOf(job);
	if (failure) return parts.map((part) => failedItem(failure, job, part));
	const pairedItemOf = memoize(pairedItem);
	return (recordsIn(job) ?? []).map((record, place) => ({
		json: jsonOf(withRecipient(operation, job, record)),
		pairedItem: pairedItemOf(parts[place] ?? job.items),
	}));
}

/** The items that the operation has planned. All items of a failed request are one failed item. */
function plannedOutput(output: OutputItem[], jobs: Job[]): INodeExecutionData[] {
	// Rows of one list come from the same input items, maybe many.
	const pairedItemOf = memoize(pairedItem);
	const failedItemOf = memoize((job: Job, failure: Failure) => failedItem(failure, job, job.items));
	const all = output.map(({ items, plan, json }) => {
		const job = plan === undefined ? undefined : jobs[plan];
		const failure = failureOf(job);
		if (job && failure) return failedItemOf(job, failure);
		const own = json(job && recordsIn(job)?.[0], job?.isSimulated === true);
		return { json: jsonOf(own), pairedItem: pairedItemOf(items) };
	});
	return uniq(all);
}

/** The record of a single send also names the recipient, unless the service does (docs/contract.md, section 3.5). */
function withRecipient({ kind, billable }: Operation, job: Job, record: IDataObject): IDataObject {
	const isSent = kind === 'item' && billable && sentRecords(job) !== undefined;
	// A repeated key may have been sent to another recipient.
	const isRepeated = record.idempotencyKey !== undefined;
	if (!job.plan || !isSent || isRepeated) return record;
	return { ...record, to: record.to ?? sentTo(job.plan.request) };
}

interface FailedJob {
	job: Job;
	failure: Failure;
	continues?: boolean;
}

/** The message without the name of the item, because n8n adds its own. */
const messageOf = ({ job: { items }, failure: { message } }: FailedJob): string =>
	items.length === 1 ? message.replace(` (${itemName(items[0] ?? 0)})`, '') : message;

/** Whether two jobs failed for the same reason, e.g. an invalid credential or an invalid fixed value. */
const isSame = (one: FailedJob, other: FailedJob): boolean =>
	one.failure === other.failure ||
	(one.failure instanceof InputFailure && messageOf(one) === messageOf(other));

/** The JSON of a successful item. It never has the key `error`, which n8n would treat as a failure. */
function jsonOf({ error, ...rest }: IDataObject): IDataObject {
	return error === undefined || error === null ? rest : { ...rest, serviceError: error };
}

/** The item of a failed job: its keys make n8n send it to the error output. */
function failedItem(failure: Failure, { facts }: Job, items: number[]): INodeExecutionData {
	const json = { error: failure.message, details: { ...details(failure), ...facts } };
	const { binary } = failure;
	return { json, ...(binary && { binary }), pairedItem: pairedItem(items) };
}

/** The error that n8n shows; `itemIndex` is undefined if the whole run failed. */
function nodeError(
	node: INode,
	first: FailedJob,
	description: string,
	itemIndex: number | undefined,
): NodeApiError | NodeOperationError {
	const { failure } = first;
	const message = messageOf(first);
	const error =
		failure instanceof InputFailure
			? new NodeOperationError(node, message, { description, itemIndex })
			: new NodeApiError(node, { error: message } as JsonObject, {
					message,
					description,
					httpCode: failure.statusCode === null ? undefined : String(failure.statusCode),
					itemIndex,
				});
	// n8n overwrites texts that look like common network errors.
	error.message = message;
	// n8n shows descriptions as HTML, so texts of users and of the service are escaped.
	error.description = description.replaceAll('<', '&lt;').replaceAll('\n', '<br />');
	error.context.data = details(failure);
	return error;
}

const details = ({ outcome, statusCode, description, facts }: Failure): IDataObject => ({
	outcome,
	statusCode,
	description,
	...facts,
});

const pairedItem = (items: number[]): INodeExecutionData['pairedItem'] =>
	items.length === 1 ? { item: items[0] ?? 0 } : items.map((item) => ({ item }));

function shownRecipient(
	context: IExecuteFunctions,
	{ fields }: Operation,
	job: Job,
): string | undefined {
	const name = ['phone', 'to'].find((one) => fields.some((field) => field.name === one));
	if (name === undefined) return undefined;
	try {
		const planned = job.plan && sentTo(job.plan.request);
		const value = planned ?? context.getNodeParameter(name, job.items[0] ?? 0, '');
		return truncate(String(value ?? '')) || undefined;
	} catch {
		// The expression of the recipient may be the one that fails.
		return undefined;
	}
}

const maxQuoteLength = 200;

const maxNamedRecords = 20;

/** Whether a failed item keeps others from being sent. */
const hasOthers = ({ kind }: Operation, jobs: Job[]): boolean =>
	kind === 'item' && jobs.some((job) => !job.result);

/** How to send the other items of a list that one item has stopped. */
const othersAdvice =
	'To send the other items anyway, open the Settings of this node and set On Error to Continue.';

/** Which execution to retry, and what resends everything, by who started the workflow. */
const retryTexts = {
	itself: {
		execution: 'this execution',
		resends: '"Execute step" and a new execution resend everything.',
	},
	// A retry of the calling workflow starts this one over.
	anotherWorkflow: {
		execution: "the sub-workflow's own execution",
		resends: 'A new execution and a retry of the calling workflow resend everything.',
	},
};

/** How to continue without sending anything twice. */
function retryAdvice(context: IExecuteFunctions, jobs: Job[], { resendUnknown }: Sends): string {
	const { execution, resends } = retryTexts[isCalled(context) ? 'anotherWorkflow' : 'itself'];
	const maybeSent = jobs.filter((job) => sentRecords(job) ?? isUncertain(job));
	const hasKeys = (maybeSent.length > 0 ? maybeSent : jobs).every(({ key }) => key !== undefined);
	const isReported = (job: Job) => isUncertain(job) && !resendUnknown;
	const hasRest = jobs.some((job) => !sentRecords(job) && !isReported(job));
	return compact([
		hasRest && `To send only the rest, press Retry on ${execution} in the list of executions.`,
		jobs.some(isReported) && 'Uncertain sends are reported again, not resent.',
		hasKeys ? 'A new execution does the same, because every item has a key.' : resends,
	]).join(' ');
}

const isCalled = (context: IExecuteFunctions): boolean =>
	context.getExecutionContext()?.parentExecutionId !== undefined;

const nothingKnown = 'It is unknown whether anything else was sent.';

/** What was sent before the first failure stopped the run, as far as it is certain (docs/contract.md, section 4.2). */
function sentBefore(
	context: IExecuteFunctions,
	operation: Operation,
	jobs: Job[],
	firstFailing: Job,
	sends: Sends,
): string {
	const { memory } = sends;
	const inOtherRounds = memory.countedInOtherRounds;
	const sent = compact(jobs.map(sentRecords));
	const unsure = jobs.filter((job) => job !== firstFailing && isUncertain(job)).length;
	const more = compact([
		sent.length > 0 && describeSent(operation, jobs.length, sent),
		unsure > 0 && `Uncertain: ${unsure} more may have been sent.`,
		inOtherRounds > 0 && `Earlier in this execution, this node sent up to ${inOtherRounds} more.`,
	]);
	if (more.length > 0) return [...more, retryAdvice(context, jobs, sends)].join(' ');
	if (!isUncertain(firstFailing) && !memory.saved.startedEmpty) return 'This node sent nothing.';
	if (!isUncertain(firstFailing) || jobs.length > 1) return nothingKnown;
	if (isCalled(context)) return retryAdvice(context, jobs, sends);
	return firstFailing.key === undefined ? '' : 'With its key, a new execution fails again.';
}

function describeSent(operation: Operation, count: number, sent: IDataObject[][]): string {
	if (operation.kind === 'item') return `Already sent: ${sent.length} of ${count} items.`;
	const names = sent.flat().map((record) => operation.nameRecord(record));
	const named = names.slice(0, maxNamedRecords).join(', ');
	const more = names.length > maxNamedRecords ? ` and ${names.length - maxNamedRecords} more` : '';
	return `Already sent: ${named}${more}.`;
}

const truncate = (text: string): string =>
	text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text;
