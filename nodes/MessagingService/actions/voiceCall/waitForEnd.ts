import { sleep, type IDataObject } from 'n8n-workflow';
import { Failure, failureOr } from '../../api/failure';
import { lists } from '../../api/lists';
import { readAll } from '../../api/pages';
import type { ApiRequest, Call } from '../../api/request';
import type { Plan } from '../../sending/operation';

/** Statuses after which a call does not change any more (docs/service.md, section 3.3). */
export const endStatuses: ReadonlySet<string> = new Set(['success', 'no-answer', 'failed']);

/** Newest entries of one number that are looked through for a call. */
const entriesPerNumber = 100;

/** How long to wait and how often to look, in milliseconds. */
export interface WaitLimits {
	maxWait: number;
	pollInterval: number;
}

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
	let earlier: Set<string> | undefined;
	return {
		request,
		queue: digits,
		prepare: async (call) => {
			earlier = new Set((await callsTo(call, digits)).map(({ id }) => String(id)));
			return request;
		},
		follow: async (response, call, signal) => {
			const isOwn = ({ id, campaignName }: IDataObject) =>
				earlier !== undefined &&
				!earlier.has(String(id)) &&
				(recipientName === undefined || campaignName === recipientName);
			const look = async (known: IDataObject | undefined) =>
				findEntry(await callsTo(call, digits), { callId: response.callId, known, isOwn });
			return await waitForEnd(response, look, limits, signal);
		},
	};
}

/** The digits that the call log finds a number by, however it was written. */
const lastDigits = (to: unknown): string => String(to).replace(/\D/g, '').slice(-10);

/** The call-log entries of a number (docs/service.md, section 4). */
const callsTo = async (call: Call, digits: string): Promise<IDataObject[]> =>
	await readAll(call, lists.calls, { query: { search: digits }, limit: entriesPerNumber });

/**
 * The entry of a call: by its id if the log shows it, else the oldest one that was not there before
 * the call and has its label.
 */
function findEntry(
	entries: IDataObject[],
	{
		callId,
		known,
		isOwn,
	}: {
		callId: unknown;
		known: IDataObject | undefined;
		isOwn: (entry: IDataObject) => boolean;
	},
): IDataObject | undefined {
	return (
		entries.find((entry) => [entry.id, entry.callId].includes(callId as string)) ??
		entries.find(({ id }) => known !== undefined && id === known.id) ??
		entries
			.filter(isOwn)
			.sort((a, b) => String(a.createdAt).localeCompare(String(b.createdAt)))[0] ??
		known
	);
}

/**
 * Looks until the call has ended or `maxWait` is over.
 *
 * A failing look at the log never turns a placed call into a failure: the call is returned with
 * what is known and `waitStopped` says why.
 *
 * @returns the service's response with `completed`, `callStatus`, `duration`, `transcript`, `callLog`
 */
async function waitForEnd(
	response: IDataObject,
	look: (known: IDataObject | undefined) => Promise<IDataObject | undefined>,
	{ maxWait, pollInterval }: WaitLimits,
	signal?: AbortSignal,
): Promise<IDataObject> {
	let entry: IDataObject | undefined;
	for (let waited = 0; ; waited += pollInterval) {
		const found = await failureOr(look(entry));
		if (found instanceof Failure) {
			return result(response, entry, `${found.message}. ${found.description}`);
		}
		entry = found;
		if (entry && endStatuses.has(String(entry.callStatus))) return result(response, entry);
		if (waited + pollInterval > maxWait) {
			return result(response, entry, `The call had not ended after ${maxWait / 1_000} seconds.`);
		}
		await sleep(pollInterval, signal);
	}
}

const result = (
	response: IDataObject,
	entry: IDataObject | undefined,
	waitStopped?: string,
): IDataObject => ({
	...response,
	completed: waitStopped === undefined,
	callStatus: entry?.callStatus ?? response.status,
	duration: entry?.duration ?? null,
	transcript: entry?.transcript ?? null,
	callLog: entry ?? null,
	...(waitStopped === undefined ? {} : { waitStopped }),
});
