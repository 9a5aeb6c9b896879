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
import type { Operation } from './operation';
import type { Job, Jobs } from './plan';
import type { Result } from './sender';

type Results = Array<Result | undefined>;

export const isFailed = (
	result: Result | undefined,
): result is { failure: Failure; isEarlier?: true } => result !== undefined && 'failure' in result;

/**
 * The output in input order.
 *
 * @throws NodeApiError or NodeOperationError for the first failure, unless the run continues on fail
 */
export function outputOf(
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

/** The item of a record; a successful one never has the key `error`, which n8n takes for a failure. */
function successItem(record: IDataObject, items: number[]): INodeExecutionData {
	const { error, ...rest } = record;
	const json = error === undefined || error === null ? rest : { ...rest, serviceError: error };
	return { json, pairedItem: pairedItem(items) };
}

/** The item of a failed request, with the keys that n8n's error output looks for. */
function failedItem(failure: Failure, { items, facts }: Job): INodeExecutionData {
	const json = { error: failure.message, details: { ...details(failure), ...facts } };
	const { binary } = failure;
	return { json, ...(binary && { binary }), pairedItem: pairedItem(items) };
}

/**
 * The error that n8n shows: the service's own text first, then what to do next.
 *
 * @param addition what the user also needs to know, e.g. how many items were sent before
 */
function nodeError(
	node: INode,
	failure: Failure,
	itemIndex: number,
	addition = '',
): NodeApiError | NodeOperationError {
	const { message } = failure;
	const description = [failure.description, addition].filter((text) => text !== '').join(' ');
	const error =
		failure instanceof InputFailure
			? new NodeOperationError(node, message, { description, itemIndex })
			: new NodeApiError(node, { error: message } as JsonObject, {
					message,
					description,
					httpCode: failure.statusCode === null ? undefined : String(failure.statusCode),
					itemIndex,
				});
	// n8n replaces texts that look like common network errors by sentences of its own.
	error.message = message;
	error.description = description;
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

/** Further failures that are named; the others are counted. */
const namedFailures = 5;

/** Characters of the message of a further failure. */
const messageLength = 200;

/** Records that are named; the others are counted. */
const namedRecords = 20;

/**
 * Says what had happened when a failure stopped the run (docs/contract.md, section 4.2).
 *
 * @param stoppedBy place of the failure that is reported itself
 */
function stopReport(operation: Operation, results: Results, stoppedBy: number): string {
	const failures = results.flatMap((result, index) =>
		result && 'failure' in result ? [{ index, failure: result.failure }] : [],
	);
	const others = failures.filter(({ index }) => index !== stoppedBy);
	const sentences: string[] = [];
	if (others.length > 0) {
		const named = others
			.slice(0, namedFailures)
			.map(({ index, failure }) => `${itemName(index)} (${truncate(failure.message)})`);
		const more = others.length > namedFailures ? ` and ${others.length - namedFailures} more` : '';
		sentences.push(`Also failed: ${named.join(', ')}${more}.`);
	}
	if (operation.billable) sentences.push(sentBefore(operation, results));
	return sentences.join(' ');
}

/** The one sentence that tells what went out, as far as it is certain. */
function sentBefore(operation: Operation, results: Results): string {
	const sent = results.flatMap((result) => (result && 'records' in result ? [result.records] : []));
	if (sent.length === 0) return nothingSent(operation, results);
	const kept = 'a retry of this execution does not send them again.';
	if (operation.kind === 'item') {
		return `${sent.length} of ${results.length} items were sent before this; ${kept}`;
	}
	const names = sent.flat().map((record) => operation.nameRecord(record));
	const named = names.slice(0, namedRecords).join(', ');
	const more = names.length > namedRecords ? ` and ${names.length - namedRecords} more` : '';
	return `Before this, ${named}${more} went out; ${kept}`;
}

function nothingSent({ kind }: Operation, results: Results): string {
	const mayBeSent = results.some(
		(result) => result && 'failure' in result && result.failure.outcome === 'unknown',
	);
	if (!mayBeSent) return 'Nothing was sent.';
	if (results.length === 1) return '';
	// Requests of a joined operation go out one after another.
	return kind === 'joined'
		? 'Nothing was sent before this.'
		: `0 of ${results.length} items were sent before this.`;
}

const truncate = (text: string): string =>
	text.length > messageLength ? `${text.slice(0, messageLength)}…` : text;
