import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import type { Reader } from '../parameters/read';
import { inputFailureOr } from './inputFailure';
import type { ItemOperation, JoinedOperation, JoinedPlans, Operation, Plan } from './operation';

/** What is to be done for some input items, or why nothing can be. */
export interface Job {
	/** Indices of the input items that it is made from. */
	items: number[];
	plan: Plan | undefined;
	/** Why there is no plan. */
	failure?: Failure;
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
}

/** All that is to be done in a run. */
export interface Jobs extends Pick<JoinedPlans, 'notes' | 'finish'> {
	jobs: Job[];
}

/**
 * Plans every request before the first one goes out, so that a mistake in the last item costs
 * nothing (docs/contract.md, section 5, rule 1).
 */
export async function planRun(
	context: IExecuteFunctions,
	operation: Operation,
	reader: Reader,
): Promise<Jobs> {
	return operation.kind === 'joined'
		? await planJoined(context, operation, reader)
		: { jobs: await planItems(context, operation, reader) };
}

async function planJoined(
	context: IExecuteFunctions,
	operation: JoinedOperation,
	reader: Reader,
): Promise<Jobs> {
	const items = context.getInputData();
	const planned = await inputFailureOr(0, () => operation.plan(reader, items));
	if (planned instanceof Failure) {
		return { jobs: [{ items: [...items.keys()], plan: undefined, failure: planned }] };
	}
	const { plans, ...rest } = planned;
	return {
		jobs: plans.map(({ items: from, facts, ...plan }) => ({ items: from, facts, plan })),
		...rest,
	};
}

async function planItems(
	context: IExecuteFunctions,
	operation: ItemOperation,
	reader: Reader,
): Promise<Job[]> {
	const jobs: Job[] = [];
	for (const index of context.getInputData().keys()) {
		const plan = await inputFailureOr(index, () => operation.plan(reader(index)));
		jobs.push(
			plan instanceof Failure
				? { items: [index], plan: undefined, failure: plan }
				: { items: [index], plan },
		);
	}
	return jobs;
}
