import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, Call } from '../api/client';
import { unknownAdvice, Failure, failureOr } from '../api/failure';
import { readNewest } from '../api/newest';
import type { RecordLookUp } from '../operation';
import type { Job } from './plan';

/** Tells what is known of sends whose responses were lost in a crash. */
export interface Recovery {
	/** What stands for the response to a send that was accepted. */
	accepted(job: Job): Promise<IDataObject>;
	/**
	 * The failure of a send that may have been accepted.
	 *
	 * @param isClear whether it was noted itself, not just something to its recipient
	 */
	unknown(job: Job, isClear?: boolean): Promise<Failure>;
}

/**
 * Looks up in the service's lists what became of sends (docs/contract.md, section 4.3). The list is
 * read once per run, and a list that cannot be read changes nothing: what is known without it is said.
 * A record never makes a send accepted: it may be that of somebody else's message to the same number.
 *
 * @param since when the first try began, in milliseconds
 */
export function recovery(call: Call, records: RecordLookUp | undefined, since: number): Recovery {
	let list: Promise<IDataObject[]> | undefined;
	const candidates = async (request: ApiRequest | undefined): Promise<IDataObject[]> => {
		if (!records || !request) return [];
		list ??= recent(call, records, since);
		return (await list).filter((record) => records.fits(record, request));
	};
	return {
		accepted: async ({ plan, key }) => {
			// What another execution has sent is not looked for.
			if (key !== undefined) return { alreadySent: true, idempotencyKey: key };
			const [first, ...others] = await candidates(plan?.request);
			const record = others.length === 0 ? first : undefined;
			return { alreadySent: true, ...(record && { record }), ...plan?.followed?.(record) };
		},
		unknown: async (job, isClear = true) =>
			inDoubt(job, isClear ? doubtOf(job) : unclear, {
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

/** The failure of a send in a list that is not the one of before: some of it may have been sent. */
export const otherList = (job: Job): Failure =>
	inDoubt(
		job,
		job.key === undefined
			? 'The list is another one than before n8n was cut off, so it is not known what of it was sent'
			: `The key "${job.key}" was used before, for other recipients: whom they have in common with these is not known`,
		{},
		'Nothing more was sent. Set the input and the parameters back to what they were and press Retry of the execution that was cut off: what was sent is known then.',
	);

/** The failure of a send in an execution of which n8n has not kept all notes. */
export const forgotten = (job: Job): Failure =>
	inDoubt(
		job,
		'More was sent in this execution than n8n keeps notes of, so it is not known whether this was',
		{},
		'Nothing more was sent. Next time let one execution send fewer, or give the node the whole list at once instead of a loop.',
	);

/** The failure of something of which nobody can tell now whether an earlier try has sent it. */
export function notLookedUp({ message, description, facts }: Failure): Failure {
	const addition =
		'What an earlier try of this execution has sent could not be looked up. Once this is mended, press Retry of the execution that was cut off or has failed: what was sent is not sent again.';
	return new Failure(message, {
		outcome: 'unknown',
		description: `${description} ${addition}`,
		facts,
	});
}

async function recent(call: Call, { list }: RecordLookUp, since: number): Promise<IDataObject[]> {
	const found = await failureOr(readNewest(call, list, { limit: Infinity, since }));
	return found instanceof Failure ? [] : found;
}

function inDoubt({ plan, key }: Job, message: string, facts: IDataObject, first = ''): Failure {
	const advice = plan ? unknownAdvice(plan.request) : '';
	return new Failure(message, {
		outcome: 'unknown',
		description: [first, advice].filter((text) => text !== '').join(' '),
		facts: { ...(key === undefined ? {} : { idempotencyKey: key }), ...facts },
	});
}
