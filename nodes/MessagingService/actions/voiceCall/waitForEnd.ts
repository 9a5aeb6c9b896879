import type { IDataObject } from 'n8n-workflow';
import { lists, timeIn } from '../../api/lists';
import { knownRecords, pagesOf, type KnownRecords } from '../../api/newest';
import type { ApiRequest, Call } from '../../api/request';
import type { Plan, RecordLookUp } from '../../sending/operation';
import { waitFor, type Waited, type WaitLimits } from '../waiting';
import { isEntryOf } from './get.operation';

/** Statuses after which a call does not change any more (docs/service.md, section 3.3). */
export const endStatuses: ReadonlySet<string> = new Set(['success', 'no-answer', 'failed']);

/** Where the service shows calls (docs/service.md, section 4.14). */
export const callRecords: RecordLookUp = {
	list: lists.calls,
	fits: ({ phone }, { body }) => lastDigits(phone) === lastDigits((body as IDataObject).to),
};

/**
 * Adds to a call that its end is waited for in the call log.
 *
 * Calls to one number are made one after another: two new entries of it could not be told apart,
 * and a line takes one call at a time.
 *
 * @param body the body of the request that places the call
 */
export function waitingForEnd(
	request: ApiRequest & { body: IDataObject },
	limits: WaitLimits,
): Plan {
	const { to, recipientName } = request.body;
	const digits = lastDigits(to);
	let earlier: KnownRecords | undefined;
	return {
		request,
		queue: digits,
		prepare: async (call) => {
			earlier = await knownRecords(call, lists.calls);
			return request;
		},
		follow: async (response, call, signal) => {
			const { callId } = response;
			const isOwn = (entry: IDataObject) =>
				earlier?.isNew(entry) === true &&
				digitsOf(entry.phone).endsWith(digits) &&
				(recipientName === undefined || entry.campaignName === recipientName);
			const look = async (known: IDataObject | undefined) => {
				// Without a look before the call, only an entry that shows its id is known to be its own.
				const isThere = (entry: IDataObject) =>
					isEntryOf(callId, entry) || (known !== undefined && entry.id === known.id);
				const entries = await callsSince(
					call,
					digitsOf(response.to ?? ''),
					earlier?.since ?? -Infinity,
					isThere,
				);
				return findEntry(entries, { isThere, isOwn }) ?? known;
			};
			const waited = await waitFor(
				look,
				({ callStatus }) => endStatuses.has(String(callStatus)),
				(seconds) => `The call had not ended after ${seconds} seconds.`,
				limits,
				signal,
			);
			return result(response, waited);
		},
	};
}

/**
 * The call-log entries of a number that are newer than a time.
 *
 * @param digits the number as the service writes it: whether `search` finds a part of one is not
 * documented (docs/service.md, section 10.25); all numbers if empty
 * @param isThere ends the reading: the entry that is looked for
 */
async function callsSince(
	call: Call,
	digits: string,
	since: number,
	isThere: (entry: IDataObject) => boolean,
): Promise<IDataObject[]> {
	const entries: IDataObject[] = [];
	const query = digits === '' ? undefined : { search: digits };
	for await (const { records, frontier } of pagesOf(call, lists.calls, query)) {
		entries.push(...records.filter((entry) => timeOf(entry) > since || isThere(entry)));
		if (frontier <= since || records.some(isThere)) break;
	}
	return entries;
}

const timeOf = (entry: IDataObject): number => timeIn(entry, lists.calls.time);

const digitsOf = (number: unknown): string => String(number).replace(/\D/g, '');

/** The digits that a number ends in, with and without its country code. */
const lastDigits = (to: unknown): string => digitsOf(to).slice(-10);

/**
 * The entry of a call: by its id if the log shows it, else the oldest one that was not there before
 * the call and has its label.
 */
const findEntry = (
	entries: IDataObject[],
	{ isThere, isOwn }: Record<'isThere' | 'isOwn', (entry: IDataObject) => boolean>,
): IDataObject | undefined =>
	entries.find(isThere) ?? entries.filter(isOwn).sort((a, b) => timeOf(a) - timeOf(b))[0];

/**
 * The response of a call that was waited for.
 *
 * @returns `status` as the call log shows it now, the first one as `initialStatus`
 */
const result = (response: IDataObject, { record: entry, waitStopped }: Waited): IDataObject => ({
	...response,
	status: entry?.callStatus ?? response.status,
	initialStatus: response.status,
	completed: waitStopped === undefined,
	callStatus: entry?.callStatus ?? response.status,
	duration: entry?.duration ?? null,
	transcript: entry?.transcript ?? null,
	callLog: entry ?? null,
	...(waitStopped === undefined ? {} : { waitStopped }),
});
