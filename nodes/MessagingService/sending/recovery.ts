import type { IDataObject } from 'n8n-workflow';
import { Failure, failureOr, unknownAdvice } from '../api/failure';
import type { ApiRequest, Call } from '../api/client';
import { readNewest } from '../api/newest';
import type { RecordLookUp } from '../operation';
import type { Job } from './job';

/** Tells what is known of sends whose responses were lost in a crash. */
export interface Recovery {
	/** What stands for the response to a send that was accepted. */
	accepted(job: Job): Promise<IDataObject>;
	/**
	 * The failure of a send that may have been accepted.
	 *
	 * @param isUnclear whether it is only known that something went to its recipient
	 */
	unknown(job: Job, isUnclear?: boolean): Promise<Failure>;
}

/**
 * Looks up in the service's lists what became of sends (docs/contract.md, section 4.3). The list is
 * read once per run, and a list that cannot be read changes nothing: what is known without it is said.
 * A record never makes a send accepted: it may be that of somebody else's message to the same number.
 *
 * @param since when the first try began, in milliseconds
 */
export function recovery(call: Call, records: RecordLookUp | undefined, since: number): Recovery {
	let list: Promise<IDataObject[] | Failure> | undefined;
	const candidates = async (request: ApiRequest | undefined): Promise<IDataObject[]> => {
		if (!records || !request) return [];
		list ??= failureOr(readNewest(call, records.list, { limit: Infinity, since }));
		const all = await list;
		const recipient = records.recipientOf(request);
		const fits = (record: IDataObject) => records.recipientIn(record) === recipient;
		return all instanceof Failure ? [] : all.filter(fits);
	};
	return {
		accepted: async ({ plan, key }) => {
			// What another execution has sent is not looked for.
			if (key !== undefined) return { alreadySent: true, idempotencyKey: key };
			const [first, ...others] = await candidates(plan?.request);
			const record = others.length === 0 ? first : undefined;
			return { alreadySent: true, ...(record && { record }), ...plan?.followed?.(record) };
		},
		unknown: async (job, isUnclear = false) =>
			inDoubt(job, isUnclear ? unclear : doubtOf(job), {
				candidates: await candidates(job.plan?.request),
			}),
	};
}

const doubtOf = ({ key }: Job): string =>
	key === undefined
		? 'An earlier try of this execution ended while this was being sent: it may have arrived'
		: `The key "${key}" is in doubt: an earlier try or another execution may have sent this`;

const unclear =
	'An earlier try of this execution has sent something to this recipient that no item of the list stands for now: it may have been this';

/**
 * The failure of a send that may have been made before.
 *
 * @param first what to do before all else
 */
export function inDoubt(
	{ plan, key }: Job,
	message: string,
	facts: IDataObject,
	first = '',
): Failure {
	const advice = plan ? unknownAdvice(plan.request) : '';
	return new Failure(message, {
		outcome: 'unknown',
		description: [first, advice].filter((text) => text !== '').join(' '),
		facts: { idempotencyKey: key, ...facts },
	});
}
