import type { IExecuteFunctions } from 'n8n-workflow';
import type { Operation } from '../actions/operation';
import { readItem, type Read } from '../actions/read';
import { Failure, InputFailure } from '../api/failure';
import type { ApiRequest } from '../api/request';

/** What is to be done for some input items: one request, or the reason why there is none. */
export interface Plan {
	/** Indices of the input items that the request is made from. */
	items: number[];
	read: Read;
	request: ApiRequest | Failure;
}

/**
 * Builds the request of every input item before the first one goes out, so that a mistake in the
 * last item costs nothing (contract, rules for billable requests, 1).
 */
export async function planItems(context: IExecuteFunctions, operation: Operation): Promise<Plan[]> {
	const plans: Plan[] = [];
	for (let index = 0; index < context.getInputData().length; index++) {
		const read = readItem(context, index);
		plans.push({ items: [index], read, request: await buildRequest(operation, read, index) });
	}
	return plans;
}

async function buildRequest(
	operation: Operation,
	read: Read,
	index: number,
): Promise<ApiRequest | Failure> {
	try {
		return await operation.request(read);
	} catch (error) {
		return asFailure(error, index);
	}
}

/** A failed expression or a missing file is a matter of the input too. */
function asFailure(error: unknown, index: number): Failure {
	if (error instanceof Failure) return error;
	const { message, description } = error as { message?: string; description?: string | null };
	const place = ` [item ${index}]`;
	return new InputFailure(
		`${(message ?? String(error)).replace(place, '')}${place}`,
		description ?? 'Correct the expression or the input item. Nothing was sent for this item.',
	);
}
