import { omit } from 'lodash';
import { sleep, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { ApiRequest, Call } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import { newRecordFilter, readNewest, type Selection } from '../api/newest';
import type { Plan, RecordLookUp } from '../operation';
import { numberField } from '../parameters/fields';
import type { Read } from '../parameters/read';
import { maxTimer, wholeNumber } from '../parameters/schemas';

interface Wait {
	/** The path of the option's fields, e.g. `options.waitForStatus.wait`. */
	option: string;
	recordLookUp: RecordLookUp;
	/** Query that narrows the list; undefined if there is nothing to narrow it by. */
	query?(response: IDataObject): ApiRequest['query'];
	/** Whether a record has the ID of the response. */
	hasSameId(record: IDataObject, response: IDataObject): boolean;
	/** Whether a new record that lacks the ID, but has the same recipient, can belong to the request. */
	mayBelong(record: IDataObject, response: IDataObject): boolean;
	/** Whether the wait ends with this record. */
	isDone(record: IDataObject): boolean;
	/** See `Plan`. */
	holdsRecipient?: true;
	/** Beginning of the message for a wait that timed out, e.g. "The call had not ended after". */
	notYet: string;
	/** The parts of the record that the item shows. */
	shown(record: IDataObject | undefined, response: IDataObject): IDataObject;
}

interface WaitTexts {
	description: string;
	/** What the node waits for. */
	what: string;
	/** What it checks. */
	where: string;
	/** Further fields, shown first. */
	fields?: INodeProperties[];
	/** What to know about the output; visible below the fields. */
	hint?: string;
}

/** An option that makes the node wait. It shows its fields as soon as it is added. */
export const waitOption = (
	name: string,
	displayName: string,
	{ description, what, where, fields = [], hint }: WaitTexts,
): INodeProperties => ({
	displayName,
	name,
	type: 'fixedCollection',
	placeholder: 'Add Wait',
	default: { wait: {} },
	description,
	options: [
		{
			displayName: 'Wait',
			name: 'wait',
			values: [
				...fields,
				numberField('maxWait', 'Wait at Most (Seconds)', 300, {
					description: `How long to wait for ${what} before the node continues`,
				}),
				numberField('pollInterval', 'Check Every (Seconds)', 5, {
					description: `Time between two checks of ${where}`,
					hint,
				}),
			],
		},
	],
});

/** Milliseconds that the last check may take after the end of the wait. */
const patience = 5_000;

const seconds = wholeNumber(1, Math.floor(maxTimer / 1_000));

/**
 * Makes a plan wait for its record: the one with the ID from the response, otherwise the only new one of the
 * recipient. A check that fails ends the wait, but the send stays a success. Throws InputFailure.
 */
export function withWait(read: Read, plan: Plan, wait: Wait): Plan {
	const maxWait = 1_000 * read(`${wait.option}.maxWait`, seconds);
	const pollInterval = 1_000 * read(`${wait.option}.pollInterval`, seconds);
	const { recordLookUp, query, hasSameId, mayBelong, isDone, notYet, shown, holdsRecipient } = wait;
	const { request } = plan;
	const recipient = recordLookUp.recipientOf(request);
	const final = (response: IDataObject, record?: IDataObject, waitStopped?: string) => ({
		// `success` belongs to the send, not to what happened afterwards.
		...omit(response, 'success'),
		...shown(record, response),
		// Whether nothing is left to wait for: reached or failed. False if the wait was given up.
		ended: waitStopped === undefined,
		...(waitStopped === undefined ? {} : { waitStopped }),
	});
	let newRecords: Awaited<ReturnType<typeof newRecordFilter>> | undefined;
	return {
		...plan,
		describe: (record) => ({ ...shown(record, {}), ended: isDone(record) }),
		holdsRecipient,
		prepare: async (call) => {
			newRecords = await newRecordFilter(call, recordLookUp.list);
			return plan.prepare ? await plan.prepare(call) : request;
		},
		follow: async (response, call, inTime, remaining) => {
			let record: IDataObject | undefined;
			let count = 0;
			const isExactMatch = (listed: IDataObject) => hasSameId(listed, response);
			const isCandidate = (listed: IDataObject) =>
				newRecords?.isNew(listed) === true &&
				recordLookUp.recipientIn(listed) === recipient &&
				mayBelong(listed, response);
			const selection: Selection = {
				query: query?.(response),
				limit: Infinity,
				since: newRecords?.since,
				anyZone: true,
				matches: (listed: IDataObject) => isExactMatch(listed) || isCandidate(listed),
				stopsAt: isExactMatch,
				isKnown: isExactMatch,
			};
			const waitTime = Math.min(maxWait, Math.max(0, remaining - patience));
			const end = Date.now() + waitTime;
			const timeoutMessage = () =>
				count > 1
					? `There are ${count} new records for this recipient, and nothing shows which one belongs to this item.`
					: `${notYet} ${Math.round(waitTime / 1_000)} seconds.`;
			const longest = Math.min(waitTime + patience, remaining, maxTimer);
			const result = await inTime(longest, async (signal) => {
				const callInTime: Call = async (...args) => {
					signal.throwIfAborted();
					return await call(...args);
				};
				for (;;) {
					const found = await failureOr(readNewest(callInTime, recordLookUp.list, selection));
					if (found instanceof Failure) return `${found.message}. ${found.description}`;
					const exact = found.find(isExactMatch);
					count = exact ? 1 : found.length;
					record = count > 1 ? undefined : (exact ?? found[0] ?? record);
					if (record && isDone(record)) return undefined;
					const rest = end - Date.now();
					if (rest <= 0) return timeoutMessage();
					await sleep(Math.min(rest, pollInterval), signal);
				}
			});
			if (result === 'ECONNABORTED') return final(response, record, timeoutMessage());
			const isStopped = result === 'ERR_CANCELED';
			return final(response, record, isStopped ? 'The execution was stopped.' : result);
		},
	};
}
