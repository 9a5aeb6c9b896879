import { compact } from 'lodash';
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
import type { Operation } from '../operation';
import type { Sends } from '../sending/sends';
import { failureOf, recordsIn, type Job } from '../job';
import { type Jobs } from './plan';

/**
 * The output, extra items last.
 *
 * @throws NodeApiError or NodeOperationError for the first failure, unless the run continues on fail
 */
export function outputOf(
	context: IExecuteFunctions,
	operation: Operation,
	{ jobs, extraItems = [] }: Jobs,
	continueOnFail: boolean,
	sends: Sends | undefined,
): INodeExecutionData[] {
	const failed = jobs.flatMap((job): FailedJob[] =>
		job.result && 'failure' in job.result ? [{ job, ...job.result }] : [],
	);
	// A failure that stopped the run comes first.
	const first = failed.find(({ continues }) => !continues) ?? failed[0];
	if (first && !continueOnFail) {
		const nameOf = (job: Job) => recipientOf(context, operation, job);
		// If all items have the same failure, no single item is to blame.
		const blamesOneItem =
			!first.failure.isOfRun &&
			(jobs.length === 1
				? first.job.items.length === 1
				: failed.length < jobs.length || !failed.every((one) => isSame(one, first)));
		// A retry would not send it either.
		const isHeldBack = first.continues === true && first.failure.outcome === 'notSent';
		const [item = 0, otherItem] = first.job.items;
		const recipient = nameOf(first.job);
		const named = recipient === undefined ? itemName(item) : `${itemName(item)}, to ${recipient}`;
		const description = compact([
			blamesOneItem &&
				jobs.length > 1 &&
				otherItem === undefined &&
				`This is ${named}; n8n shows it as [item ${item}], because it counts from 0.`,
			first.failure.description,
			blamesOneItem && alsoFailed(failed, first, nameOf),
			sends && sentBefore(context, operation, jobs, first.job, sends, isHeldBack),
		]).join(' ');
		throw nodeError(context.getNode(), first, description, blamesOneItem ? item : undefined);
	}
	const items = jobs.flatMap((job) => {
		const parts = job.plan?.isPerItem ? job.items.map((item) => [item]) : [job.items];
		const failure = failureOf(job);
		if (failure) return parts.map((part) => failedItem(failure, job, part));
		const records = recordsIn(job) ?? [];
		return records.map((record, place) => successItem(record, parts[place] ?? job.items));
	});
	return [...items, ...extraItems.map(({ json, items: from }) => successItem(json, from))];
}

interface FailedJob {
	job: Job;
	failure: Failure;
	continues?: boolean;
}

/** Whether a job was not sent because all its recipients are excluded. */
const isExcluded = (job: Job): boolean =>
	job.excludedRecord !== undefined && recordsIn(job)?.[0] === job.excludedRecord;

/** Whether a failed job may have been sent. */
const isUncertain = (job: Job): boolean => failureOf(job)?.outcome === 'unknown';

/** The message without the name of the item, which n8n adds itself. */
const messageOf = ({ job: { items }, failure: { message } }: FailedJob): string =>
	items.length === 1 ? message.replace(` (${itemName(items[0] ?? 0)})`, '') : message;

/** Whether two jobs failed for the same reason, e.g. an invalid credential or an invalid fixed value. */
const isSame = (one: FailedJob, other: FailedJob): boolean =>
	one.failure === other.failure ||
	(one.failure instanceof InputFailure && messageOf(one) === messageOf(other));

/** The item of a record. It never has the key `error`, which n8n would treat as a failure. */
function successItem(record: IDataObject, items: number[]): INodeExecutionData {
	const { error, ...rest } = record;
	const json = error === undefined || error === null ? rest : { ...rest, serviceError: error };
	return { json, pairedItem: pairedItem(items) };
}

/** The item of a failed job: its keys make n8n send it to the error output. */
function failedItem(failure: Failure, { facts, send }: Job, items: number[]): INodeExecutionData {
	const unsure = failure.outcome === 'unknown' && send ? { send: send.content } : {};
	const json = { error: failure.message, details: { ...details(failure), ...unsure, ...facts } };
	const { binary } = failure;
	return { json, ...(binary && { binary }), pairedItem: pairedItem(items) };
}

/**
 * The error that n8n shows: the failure's message, then what to do next.
 *
 * @param itemIndex the failed item; undefined if the whole run failed
 */
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
	...(statusCode === null ? {} : { statusCode }),
	description,
	...facts,
});

const pairedItem = (items: number[]): INodeExecutionData['pairedItem'] =>
	items.length === 1 ? { item: items[0] ?? 0 } : items.map((item) => ({ item }));

/** The recipient of an item, from its request or its parameter. */
function recipientOf(
	context: IExecuteFunctions,
	{ fields }: Operation,
	job: Job,
): string | undefined {
	const name = ['phone', 'to'].find((one) => fields.some((field) => field.name === one));
	if (name === undefined) return undefined;
	const { body, form } = job.plan?.request ?? {};
	const planned = form?.fields ?? body;
	try {
		const value = planned?.[name] ?? context.getNodeParameter(name, job.items[0] ?? 0, '');
		return truncate(String(value ?? '')) || undefined;
	} catch {
		// The expression of the recipient may be the one that fails.
		return undefined;
	}
}

/** Maximum further failures named; the rest are counted. */
const maxNamedFailures = 5;

/** Maximum characters of a quoted text. */
const maxQuoteLength = 200;

/** Maximum records named; the rest are counted. */
const maxNamedRecords = 20;

/** Names failures whose message differs from the first. */
function alsoFailed(
	failed: FailedJob[],
	first: FailedJob,
	nameOf: (job: Job) => string | undefined,
): string {
	const further = failed.filter(({ failure }) => failure.message !== first.failure.message);
	if (further.length === 0) return '';
	const named = further.slice(0, maxNamedFailures).map((one) => {
		const name = nameOf(one.job) ?? itemName(one.job.items[0] ?? 0);
		return `${name} (${truncate(messageOf(one))})`;
	});
	const more =
		further.length > maxNamedFailures ? ` and ${further.length - maxNamedFailures} more` : '';
	return `Also failed: ${named.join(', ')}${more}.`;
}

/** Whether another workflow called this one. A retry of the calling workflow starts this one over. */
const isCalled = (context: IExecuteFunctions): boolean =>
	context.getExecutionContext()?.parentExecutionId !== undefined;

const sameItems =
	'A retry uses the same items, and a corrected node only with "Retry with currently saved workflow". A new execution, e.g. with "Debug in editor", also repeats what other nodes sent. To send corrected items, start one';

/** How to continue without sending anything twice. A new execution resends items without a key. */
function retryAdvice(context: IExecuteFunctions, jobs: Job[]): string {
	const which = isCalled(context) ? "on the sub-workflow's own execution" : 'on this execution';
	const resending = isCalled(context) ? 'a retry of the calling workflow' : '"Execute step"';
	const uncertain = jobs.some(isUncertain)
		? '; uncertain sends are reported again, not resent'
		: '';
	const rest = `To send only the rest, press Retry ${which} in the list of executions${uncertain}.`;
	if (context.getMode() === 'retry') return `${rest} ${sameItems} without those already sent.`;
	const isRejected = jobs.some((job) => failureOf(job)?.outcome === 'rejected');
	const wrongItem = jobs.some(({ result }) => !result)
		? 'If an item is wrong, set On Error of this node to Continue, save, and choose "Retry with currently saved workflow"; send the corrected item in an execution of its own.'
		: 'If the item is wrong, send a corrected one in an execution of its own.';
	const retry = isRejected
		? `${wrongItem} Otherwise, press Retry ${which} in the list of executions: it sends only the rest, with the same items${uncertain}.`
		: rest;
	if (jobs.every(({ key }) => key !== undefined))
		return `${rest} A new execution also sends only the rest, because every item has a key.`;
	return context.getMode() === 'manual'
		? `Don't press "Execute step" or "Execute workflow": they resend everything. ${retry}`
		: `${retry} A new execution or ${resending} resends everything.`;
}

const nothingKnown = 'It is unknown whether anything else was sent.';

/** What was sent before the first failure stopped the run, as far as it is certain (docs/contract.md, section 4.2). */
function sentBefore(
	context: IExecuteFunctions,
	operation: Operation,
	jobs: Job[],
	firstFailing: Job,
	{ memory }: Sends,
	isHeldBack: boolean,
): string {
	const inOtherRounds = memory.countedInOtherRounds;
	const isRecordComplete = !memory.saved.startedEmpty;
	// Simulated and excluded jobs were not sent.
	const sent = compact(
		jobs.map((job) => (job.isSimulated || isExcluded(job) ? undefined : recordsIn(job))),
	);
	const unsure = jobs.filter((job) => job !== firstFailing && isUncertain(job)).length;
	const more = compact([
		unsure > 0 && `Uncertain: ${unsure} more may have been sent.`,
		inOtherRounds > 0 && `Earlier in this execution, this node sent up to ${inOtherRounds} more.`,
	]);
	if (sent.length === 0 && more.length === 0) {
		const nothing = 'This node sent nothing.';
		if (!isUncertain(firstFailing) && isRecordComplete)
			return context.getMode() === 'retry' && !isHeldBack ? `${nothing} ${sameItems}.` : nothing;
		if (!isUncertain(firstFailing) || jobs.length > 1) return nothingKnown;
		return isCalled(context) ? retryAdvice(context, jobs) : '';
	}
	const here = sent.length === 0 ? [] : [describeSent(operation, jobs.length, sent)];
	const advice = isHeldBack ? [] : [retryAdvice(context, jobs)];
	return [...here, ...more, ...advice].join(' ').trim();
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
