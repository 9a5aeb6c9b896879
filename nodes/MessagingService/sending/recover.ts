import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, Call } from '../api/client';
import { unknownAdvice, Failure, failureOr } from '../api/failure';
import { readNewest } from '../api/newest';
import type { RecordLookUp } from './operation';
import type { Job } from './plan';
import type { Recover } from './sender';

/**
 * Looks up in the service's lists what became of sends whose responses were lost in a crash
 * (docs/contract.md, section 4.3). The list is read once per run, and a list that cannot be read
 * changes nothing: what is known without it is said.
 *
 * @param since when the first try began, in milliseconds
 */
export function recovery(call: Call, records: RecordLookUp | undefined, since: number): Recover {
	let list: Promise<IDataObject[]> | undefined;
	const candidates = async (request: ApiRequest | undefined): Promise<IDataObject[]> => {
		if (!records || !request) return [];
		list ??= recent(call, records, since);
		return (await list).filter((record) => records.fits(record, request));
	};
	return {
		accepted: async ({ plan }) => {
			const [record, ...others] = await candidates(plan?.request);
			return record && others.length === 0 ? { record } : {};
		},
		unknown: async (job) => {
			const found = await candidates(job.plan?.request);
			return inDoubt(job, found.length === 0 ? {} : { candidates: found });
		},
	};
}

async function recent(call: Call, { list }: RecordLookUp, since: number): Promise<IDataObject[]> {
	const found = await failureOr(readNewest(call, list, { limit: Infinity, since }));
	return found instanceof Failure ? [] : found;
}

function inDoubt({ plan, key }: Job, facts: IDataObject): Failure {
	const message =
		key === undefined
			? 'An earlier try of this execution ended while this was being sent: it may have arrived'
			: `The key "${key}" is in doubt: another execution may have sent this, or may be sending it`;
	return new Failure(message, {
		outcome: 'unknown',
		description: plan ? unknownAdvice(plan.request) : '',
		facts: key === undefined ? facts : { idempotencyKey: key },
	});
}
