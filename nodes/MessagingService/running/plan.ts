import { chunk } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { inputFailureOr, type Reader, type ReadShared } from '../parameters/read';
import { required, trimmed, type Schema } from '../parameters/schemas';
import { applyGuards, readGuards, type Guards } from '../parameters/guards';
import {
	hasParameters,
	type JoinedOperation,
	type JoinedPlans,
	type Operation,
} from '../operation';
import type { Job } from '../job';
import { readSimulate } from './simulation';

export interface Jobs extends Pick<JoinedPlans, 'output' | 'finish' | 'hints'> {
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
	const all = [...context.getInputData().keys()];
	for (const items of hasParameters(operation) ? chunk(all) : [all]) {
		const [index = 0] = items;
		const read = reader(index);
		const planned = await inputFailureOr(index, async () => {
			const { guards, ...billable } = readBillable(operation, read);
			const plan = await operation.plan(read);
			return { ...billable, plan, ...applyGuards(plan.request, guards, index) };
		});
		const job = { items, place: String(index) };
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
	const planned = await inputFailureOr(0, async () => {
		const read = operation.readsFirst ? reader(0) : reader.same;
		const { guards, ...billable } = readBillable(operation, read);
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
	if (planned instanceof Failure)
		return { jobs: [{ items: [...items.keys()], place: 'all', failure: planned }] };
	return planned;
}

/** Maximum characters of a key, because normalizing a longer one could take seconds. */
const maxKeyLength = 1_000;

const idempotencyKey: Schema<string> = required(trimmed)
	.refine(({ length }) => length <= maxKeyLength, `has more than ${maxKeyLength} characters`)
	.refine((value) => /[^\p{C}\p{Z}\p{DI}\u2800]/u.test(value), 'has no visible character')
	.transform((key) => key.normalize());

function readBillable({ billable }: Operation, read: ReadShared): Options {
	if (!billable) return { guards: {} };
	const hasKey = read.has('options.idempotencyKey');
	return {
		guards: readGuards(read),
		isSimulated: readSimulate(read),
		// An empty key fails as invalid.
		key: hasKey ? read('options.idempotencyKey', idempotencyKey) : undefined,
	};
}

type Options = Pick<Job, 'key' | 'isSimulated'> & { guards: Guards };
