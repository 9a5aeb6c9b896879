import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type {
	ItemOperation,
	JoinedOperation,
	JoinedRequests,
	Operation,
} from '../actions/operation';
import { parameterReader, type Read } from '../parameters/read';
import { Failure } from '../api/failure';
import type { ApiRequest } from '../api/request';
import { inputFailureOr } from './inputFailure';

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
	waitUntil?: JoinedRequests['waitUntil'];
}

/**
 * Builds every request before the first one goes out, so that a mistake in the last item costs
 * nothing (docs/contract.md, section 4.1).
 */
export async function planRun(context: IExecuteFunctions, operation: Operation): Promise<Planned> {
	return 'requests' in operation
		? await planJoined(context, operation)
		: { plans: await planItems(context, operation), notes: [] };
}

async function planJoined(
	context: IExecuteFunctions,
	operation: JoinedOperation,
): Promise<Planned> {
	const items = context.getInputData();
	const read = parameterReader(context)(0);
	const built = await inputFailureOr(0, () => operation.requests(read, items));
	if (built instanceof Failure) {
		const all = items.map((_, index) => index);
		return { plans: [{ items: all, read, request: built }], notes: [] };
	}
	const { requests, notes, waitUntil } = built;
	return { plans: requests.map((plan) => ({ ...plan, read })), notes, waitUntil };
}

async function planItems(context: IExecuteFunctions, operation: ItemOperation): Promise<Plan[]> {
	const plans: Plan[] = [];
	const reader = parameterReader(context);
	for (let index = 0; index < context.getInputData().length; index++) {
		const read = reader(index);
		const request = await inputFailureOr(index, () => operation.request(read));
		plans.push({ items: [index], read, request });
	}
	return plans;
}
