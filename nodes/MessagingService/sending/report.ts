import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type JsonObject,
} from 'n8n-workflow';
import { InputFailure, type Failure } from '../api/failure';
import type { Job } from './plan';

/** The item of a record; a successful one never has the key `error`, which n8n takes for a failure. */
export function successItem(record: IDataObject, items: number[]): INodeExecutionData {
	const { error, ...rest } = record;
	const json = error === undefined || error === null ? rest : { ...rest, serviceError: error };
	return { json, pairedItem: pairedItem(items) };
}

/** The item of a failed request, with the keys that n8n's error output looks for. */
export function failedItem(failure: Failure, { items, facts }: Job): INodeExecutionData {
	const json = { error: failure.message, details: { ...details(failure), ...facts } };
	const { binary } = failure;
	return { json, ...(binary && { binary }), pairedItem: pairedItem(items) };
}

/**
 * The error that n8n shows: the service's own text first, then what to do next.
 *
 * @param addition what the user also needs to know, e.g. how many items were sent before
 */
export function nodeError(
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
