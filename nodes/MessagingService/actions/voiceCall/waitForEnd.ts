import { sleep, type IDataObject } from 'n8n-workflow';
import { Failure, failureOr } from '../../api/failure';
import { readByPage } from '../../api/pagination';
import type { ApiRequest, Call } from '../../api/request';
import { endStatuses } from './endStatuses';
import type { Following } from '../operation';

/** Newest entries of one number that are looked through for a call. */
const entriesPerNumber = 100;

/** The digits that the call log finds a number by, however it was written. */
export const lastDigits = (to: unknown): string => String(to).replace(/\D/g, '').slice(-10);

/** The newest call-log entries of a number (GET /voice/call-logs). */
export async function callsTo(call: Call, to: string): Promise<IDataObject[]> {
	const search = lastDigits(to);
	const request: ApiRequest = {
		method: 'GET',
		path: '/voice/call-logs',
		query: { search },
		wanted: entriesPerNumber,
	};
	return await readByPage(call, request, 'data');
}

/**
 * Polls the call log until the call has ended or `maxWait` is over.
 *
 * A failing look at the log never turns a placed call into a failure: the call is returned with
 * what is known and `waitStopped` says why.
 *
 * @returns the service's answer with `completed`, `callStatus`, `duration`, `transcript`, `callLog`
 */
export async function waitForEnd(
	{ call, answer, request, earlierIds, claimedIds, signal }: Following,
	{ maxWait, pollInterval }: { maxWait: number; pollInterval: number },
): Promise<IDataObject> {
	const to = String(request.body?.to);
	const ownId = (entry: IDataObject) => [entry.id, entry.callId].includes(answer.callId);
	let entry: IDataObject | undefined;

	for (let waited = 0; ; waited += pollInterval) {
		const entries = await failureOr(callsTo(call, to));
		if (entries instanceof Failure) {
			return result(answer, entry, `${entries.message}. ${entries.description}`);
		}
		const known = entry?.id;
		entry =
			entries.find(ownId) ??
			entries.find(({ id }) => known !== undefined && id === known) ??
			claimOldest(entries, { earlierIds, claimedIds, label: request.body?.recipientName }) ??
			entry;
		if (entry && endStatuses.has(String(entry.callStatus))) return result(answer, entry);
		if (waited + pollInterval > maxWait) {
			return result(answer, entry, `The call had not ended after ${maxWait / 1_000} seconds.`);
		}
		await sleep(pollInterval, signal);
	}
}

/**
 * Finds the entry of a call whose id the log does not show: the oldest one that was not there
 * before the call, is not another item's and has the call's label.
 */
function claimOldest(
	entries: IDataObject[],
	{
		earlierIds,
		claimedIds,
		label,
	}: { earlierIds?: Set<string>; claimedIds: Set<string>; label: unknown },
): IDataObject | undefined {
	if (!earlierIds) return undefined;
	const own = entries
		.filter(({ id }) => !earlierIds.has(String(id)) && !claimedIds.has(String(id)))
		.filter(({ campaignName }) => label === undefined || campaignName === label)
		.sort((a, b) => String(a.createdAt).localeCompare(String(b.createdAt)))[0];
	if (own) claimedIds.add(String(own.id));
	return own;
}

function result(
	answer: IDataObject,
	entry: IDataObject | undefined,
	waitStopped?: string,
): IDataObject {
	return {
		...answer,
		completed: waitStopped === undefined,
		callStatus: entry?.callStatus ?? answer.status,
		duration: entry?.duration ?? null,
		transcript: entry?.transcript ?? null,
		callLog: entry ?? null,
		...(waitStopped === undefined ? {} : { waitStopped }),
	};
}
