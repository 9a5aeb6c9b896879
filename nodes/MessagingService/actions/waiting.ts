import { omit } from 'lodash';
import { sleep, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import { knownRecords, readNewest, type KnownRecords } from '../api/newest';
import type { Plan, RecordLookUp } from '../operation';
import type { Read } from '../parameters/read';
import { longestTime, wholeNumber } from '../parameters/schemas';

/** What is waited for once the service has accepted a request. */
interface Wait {
	records: RecordLookUp;
	/** Narrows the list where that is safe. */
	query?(response: IDataObject): ApiRequest['query'];
	/** Whether a record shows the id that the response has. */
	isNamed(record: IDataObject, response: IDataObject): boolean;
	/** Whether a record without it can be its own, if it is new and of the same recipient. */
	mayBe(record: IDataObject, response: IDataObject): boolean;
	/** Whether a record shows that there is nothing left to wait for. */
	isDone(record: IDataObject): boolean;
	/** What is said where there is, e.g. "The call had not ended after". */
	notYet: string;
	/** What the item shows of the record. */
	shown(record: IDataObject | undefined, response: IDataObject): IDataObject;
}

/** What waiting came to. */
interface Waited {
	/** The record as it was seen last. */
	record: IDataObject | undefined;
	/** Why waiting ended before the record was as wanted; absent if it was. */
	waitStopped?: string;
}

/**
 * The options `maxWait` and `pollInterval`.
 *
 * @param shown when they are shown
 * @param what is waited for, e.g. "the end of the call"
 * @param where it is looked up, e.g. "the call log"
 */
export const waitOptions = (
	shown: INodeProperties['displayOptions'],
	what: string,
	where: string,
): INodeProperties[] => [
	{
		displayName: 'Wait at Most (Seconds)',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description: `How long to wait for ${what} before the node goes on without it`,
		displayOptions: shown,
	},
	{
		displayName: 'Wait Between Checks (Seconds)',
		name: 'pollInterval',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 5,
		description: `Time between two looks at ${where}`,
		displayOptions: shown,
	},
];

const seconds = wholeNumber(1, Math.floor(longestTime / 1_000));

/**
 * Adds to a plan that its record is waited for: the one that the response names, else the oldest of
 * its recipient that was not there before. Throws InputFailure.
 */
export function withWait(read: Read, plan: Plan, wait: Wait): Plan {
	const maxWait = read('options.maxWait', seconds);
	const pollInterval = read('options.pollInterval', seconds);
	const { records, query, isNamed, mayBe, isDone, notYet, shown } = wait;
	const { request } = plan;
	const recipient = records.recipientOf(request);
	const final = (response: IDataObject, { record, waitStopped }: Waited): IDataObject => {
		// It was a success when it was sent, which says nothing about how it went on.
		const sent = omit(response, 'success');
		const item = { ...sent, ...shown(record, response), ended: waitStopped === undefined };
		return waitStopped === undefined ? item : { ...item, waitStopped };
	};
	let earlier: KnownRecords | undefined;
	return {
		...plan,
		// Two new records of one recipient could not be told apart.
		queue: recipient,
		prepare: async (call) => {
			earlier = await knownRecords(call, records.list);
			return plan.prepare ? await plan.prepare(call) : request;
		},
		follow: async (response, call, signal) => {
			const isOwn = (record: IDataObject) =>
				earlier?.isNew(record) === true &&
				records.recipientIn(record) === recipient &&
				mayBe(record, response);
			const look = async (known: IDataObject | undefined) => {
				const isIt = (record: IDataObject) =>
					isNamed(record, response) || (known !== undefined && record.id === known.id);
				const found = await readNewest(call, records.list, {
					query: query?.(response),
					limit: Infinity,
					since: earlier?.since,
					matches: (record) => isIt(record) || isOwn(record),
					isLast: isIt,
				});
				return found.find(isIt) ?? found.at(-1) ?? known;
			};
			const waited = await waitFor(look, isDone, notYet, { maxWait, pollInterval }, signal);
			return final(response, waited);
		},
		followed: (record) => {
			const waitStopped = 'n8n was cut off while this was waited for.';
			return final({}, record && isDone(record) ? { record } : { record, waitStopped });
		},
	};
}

/**
 * Looks for a record until it is as wanted or `maxWait` is over, which is when the last look begins.
 * A look that fails ends the waiting and never turns what was sent into a failure.
 *
 * @param look gives the record, the last one seen if there is no newer
 * @param times in seconds
 */
async function waitFor(
	look: (known: IDataObject | undefined) => Promise<IDataObject | undefined>,
	isDone: (record: IDataObject) => boolean,
	notYet: string,
	times: { maxWait: number; pollInterval: number },
	signal?: AbortSignal,
): Promise<Waited> {
	const end = Date.now() + 1_000 * times.maxWait;
	let record: IDataObject | undefined;
	for (let isLast = false; ; ) {
		const found = await failureOr(look(record));
		if (found instanceof Failure) {
			return { record, waitStopped: `${found.message}. ${found.description}` };
		}
		record = found;
		if (record && isDone(record)) return { record };
		if (isLast) return { record, waitStopped: `${notYet} ${times.maxWait} seconds.` };
		const left = Math.max(0, end - Date.now());
		const pause = Math.min(left, 1_000 * times.pollInterval);
		isLast = pause === left;
		try {
			await sleep(pause, signal);
		} catch {
			return { record, waitStopped: 'The execution was stopped.' };
		}
	}
}
