import type { IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { inputFailureOr, type Read, type Reader, type ReadValue } from '../parameters/read';
import { idempotencyKey } from '../parameters/schemas';
import { applyGuards, readGuards, type Guards } from '../parameters/recipients';
import type { JoinedOperation, JoinedPlans, Operation } from '../operation';
import type { Job } from '../job';
import { sharedValueFailureOf } from './sharedValues';
import { readSimulate, rejectTestItem } from './simulation';

/** The work of a run. */
export interface Jobs extends Pick<JoinedPlans, 'extraItems' | 'finish'> {
	jobs: Job[];
}

/**
 * Plans every request before the first one is sent, so that an invalid last item costs nothing
 * (docs/contract.md, section 4.1).
 */
export async function planRun(
	context: IExecuteFunctions,
	operation: Operation,
	reader: Reader,
): Promise<Jobs> {
	if (operation.kind === 'joined') return await planJoined(context, operation, reader);
	const jobs: Job[] = [];
	const sharedFailure = sharedValueFailureOf(context, operation);
	for (const [index, item] of context.getInputData().entries()) {
		const read = reader(index);
		const planned = await inputFailureOr(index, async () => {
			if (sharedFailure) throw sharedFailure;
			const { guards, ...billable } = readBillable(context, operation, read, read);
			if (operation.billable && !billable.isSimulated) rejectTestItem(context, item);
			const plan = await operation.plan(read);
			return { ...billable, plan, ...applyGuards(plan.request, guards, index) };
		});
		const job = { items: [index], place: String(index) };
		jobs.push(planned instanceof Failure ? { ...job, failure: planned } : { ...job, ...planned });
	}
	return { jobs };
}

async function planJoined(
	context: IExecuteFunctions,
	operation: JoinedOperation,
	reader: Reader,
): Promise<Jobs> {
	const items = context.getInputData();
	const sharedFailure = sharedValueFailureOf(context, operation);
	const planned = await inputFailureOr(0, async () => {
		if (sharedFailure) throw sharedFailure;
		const { guards, ...billable } = readBillable(
			context,
			operation,
			reader(0),
			operation.readsFirst ? reader(0) : reader.same,
		);
		if (operation.billable && !billable.isSimulated)
			for (const item of items) rejectTestItem(context, item);
		const { plans, ...rest } = await operation.plan(reader, items);
		// The operation has already checked a campaign's rows against Allowed and Excluded Recipients.
		const jobs = plans.map(({ items: from, facts, recipients, campaign, ...plan }, index): Job => {
			const guarded = recipients ? {} : applyGuards(plan.request, guards);
			return {
				...billable,
				items: from,
				place: String(index),
				plan,
				recipients,
				campaign,
				...guarded,
				facts: { ...facts, ...guarded.facts },
			};
		});
		return { jobs, ...rest };
	});
	if (planned instanceof Failure) {
		const failing = operation.readsFirst ? [0] : [...items.keys()];
		return { jobs: [{ items: failing, place: 'all', failure: planned }] };
	}
	return planned;
}

const oneKey =
	'A campaign has one key, e.g. {{ "Summer " + $today.year }}: with the same key, it is not sent again. To reach only rows that were added, filter the others out before this node.';

/** Reads the options that apply to every billable operation; throws InputFailure. */
const readBillable = (
	context: IExecuteFunctions,
	operation: Operation,
	readItem: Read,
	read: ReadValue,
): Pick<Job, 'key' | 'isSimulated'> & { guards: Guards } => ({
	guards: operation.billable ? readGuards(readItem, read) : {},
	isSimulated: readSimulate(context, operation, readItem.has, read),
	// `has` is also true for an empty key, which then fails as invalid.
	key:
		operation.billable && readItem.has('options.idempotencyKey')
			? read('options.idempotencyKey', idempotencyKey, oneKey)
			: undefined,
});
