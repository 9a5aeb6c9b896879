import type { IDataObject } from 'n8n-workflow';
import { lists } from '../../api/lists';
import { knownRecords, readNewest, type KnownRecords } from '../../api/newest';
import type { ApiRequest } from '../../api/client';
import type { Plan, RecordLookUp } from '../../operation';
import { cutOff, waitFor, withWait, type Waited, type WaitLimits } from '../waiting';
import { isEntryOf } from './get.operation';

const endStatuses: ReadonlySet<unknown> = new Set(['success', 'no-answer', 'failed']);

/**
 * Whether a call-log entry is of a call that has ended. Which statuses follow each other is not
 * documented (docs/service.md, section 10.5), but that the duration is 0 until then.
 */
export const hasEnded = ({ callStatus, status, duration }: IDataObject): boolean =>
	endStatuses.has(callStatus ?? status) || Number(duration) > 0;

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
				// Whether `search` finds a part of a number is not documented (docs/service.md, section 10.25).
				const search = digitsOf(response.to ?? '');
				const entries = await readNewest(call, lists.calls, {
					query: search === '' ? undefined : { search },
					limit: Infinity,
					since: earlier?.since,
					isLast: isThere,
				});
				// By its id if the log shows it, else the oldest one that was not there before.
				return entries.find(isThere) ?? entries.filter(isOwn).at(-1) ?? known;
			};
			const waited = await waitFor(
				look,
				hasEnded,
				(seconds) => `The call had not ended after ${seconds} seconds.`,
				limits,
				signal,
			);
			return final(response, waited);
		},
		followed: (entry) => final({}, cutOff(entry, hasEnded)),
	};
}

function final(response: IDataObject, waited: Waited): IDataObject {
	const { record: entry } = waited;
	const status = entry?.callStatus ?? response.status ?? null;
	const seen = {
		status,
		...(response.status === undefined ? {} : { initialStatus: response.status }),
		callStatus: status,
		duration: entry?.duration ?? null,
		transcript: entry?.transcript ?? null,
		callLog: entry ?? null,
	};
	return withWait(response, seen, waited);
}

const digitsOf = (number: unknown): string => String(number).replace(/\D/g, '');

/** The digits that a number ends in, with and without its country code. */
const lastDigits = (to: unknown): string => digitsOf(to).slice(-10);
