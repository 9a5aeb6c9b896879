import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type {
	ItemOperation,
	JoinedOperation,
	JoinedRequests,
	Operation,
} from '../actions/operation';
import { readItem, type Read } from '../actions/read';
import { Failure, InputFailure } from '../api/failure';
import type { ApiRequest } from '../api/request';

/** What is to be done for some input items: one request, or the reason why there is none. */
export interface Plan {
	/** Indices of the input items that the request is made from. */
	items: number[];
	read: Read;
	request: ApiRequest | Failure;
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
}

/** All that is to be done, and further output items. */
export interface Planned {
	plans: Plan[];
	notes: JoinedRequests['notes'];
}

/**
 * Builds every request before the first one goes out, so that a mistake in the last item costs
 * nothing (contract, rules for billable requests, 1).
 */
export async function planRun(context: IExecuteFunctions, operation: Operation): Promise<Planned> {
	return 'requests' in operation
		? planJoined(context, operation)
		: { plans: await planItems(context, operation), notes: [] };
}

function planJoined(context: IExecuteFunctions, operation: JoinedOperation): Planned {
	const items = context.getInputData();
	const read = readItem(context, 0);
	try {
		const { requests, notes } = operation.requests(read, items);
		return { plans: requests.map((planned) => ({ ...planned, read })), notes };
	} catch (error) {
		const all = items.map((_, index) => index);
		return { plans: [{ items: all, read, request: asFailure(error, 0) }], notes: [] };
	}
}

async function planItems(context: IExecuteFunctions, operation: ItemOperation): Promise<Plan[]> {
	const plans: Plan[] = [];
	for (let index = 0; index < context.getInputData().length; index++) {
		const read = readItem(context, index);
		plans.push({ items: [index], read, request: await buildRequest(operation, read, index) });
	}
	return plans;
}

async function buildRequest(
	operation: ItemOperation,
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
