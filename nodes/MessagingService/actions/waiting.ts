import { omit } from 'lodash';
import { sleep, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { limiting, type ApiRequest, type Call } from '../api/client';
import { Failure, failureOr } from '../api/failure';
import { knownRecords, readNewest, type KnownRecords } from '../api/newest';
import type { Plan, RecordLookUp } from '../operation';
import { numberField, shownWhere } from '../parameters/fields';
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

/** The options `maxWait` and `pollInterval`, shown with those named: how long to wait for what, looked up where. */
export const waitOptions = (
	shown: NonNullable<INodeProperties['displayOptions']>['show'],
	what: string,
	where: string,
): INodeProperties[] =>
	shownWhere(shown, [
		numberField('maxWait', 'Wait at Most (Seconds)', 300, {
			description: `How long to wait for ${what} before the node continues without it`,
		}),
		numberField('pollInterval', 'Wait Between Checks (Seconds)', 5, {
			description: `Time between two checks of ${where}`,
		}),
	]);

/** Milliseconds that the last look may take, behind Max Wait. */
const patience = 5_000;

const seconds = wholeNumber(1, Math.floor(longestTime / 1_000));

/**
 * Adds to a plan that its record is waited for: the one that the response names, else the only one of
 * its recipient that was not there before. The last look is the one that begins at Max Wait, or as
 * late as the time limit of the workflow allows, or is under way then; one that fails ends the
 * waiting, and never turns what was sent into a failure. Throws InputFailure.
 */
export function withWait(read: Read, plan: Plan, wait: Wait): Plan {
	const maxWait = 1_000 * read('options.maxWait', seconds);
	const pollInterval = 1_000 * read('options.pollInterval', seconds);
	const { records, query, isNamed, mayBe, isDone, notYet, shown } = wait;
	const { request } = plan;
	const recipient = records.recipientOf(request);
	const final = (response: IDataObject, record?: IDataObject, waitStopped?: string) => ({
		// It was a success when it was sent, which says nothing about how it went on.
		...omit(response, 'success'),
		...shown(record, response),
		ended: waitStopped === undefined,
		...(waitStopped === undefined ? {} : { waitStopped }),
	});
	let earlier: KnownRecords | undefined;
	return {
		...plan,
		// Two new records of one recipient could not be told apart.
		queue: recipient,
		prepare: async (call) => {
			earlier = await knownRecords(call, records.list);
			return plan.prepare ? await plan.prepare(call) : request;
		},
		follow: async (response, call, stopped, left) => {
			let record: IDataObject | undefined;
			let count = 0;
			const isIt = (one: IDataObject) => isNamed(one, response);
			const mayBeIt = (one: IDataObject) =>
				earlier?.isNew(one) === true &&
				records.recipientIn(one) === recipient &&
				mayBe(one, response);
			const selection = {
				query: query?.(response),
				limit: Infinity,
				since: earlier?.since,
				matches: (one: IDataObject) => isIt(one) || mayBeIt(one),
				isLast: isIt,
			};
			const time = Math.min(maxWait, Math.max(0, left - patience));
			const end = Date.now() + time;
			const why = time < maxWait ? ', and the time limit of the workflow leaves no more' : '';
			const late = () =>
				count > 1
					? `There are ${count} new records for this recipient, and nothing shows which one belongs to this item.`
					: `${notYet} ${Math.round(time / 1_000)} seconds${why}.`;
			const longest = Math.min(time + patience, left, longestTime);
			const result = await limiting(stopped)(longest, async (signal) => {
				const callInTime: Call = async (...asked) => {
					signal.throwIfAborted();
					return await call(...asked);
				};
				for (;;) {
					const found = await failureOr(readNewest(callInTime, records.list, selection));
					if (found instanceof Failure) return `${found.message}. ${found.description}`;
					const named = found.find(isIt);
					count = named ? 1 : found.length;
					record = count > 1 ? undefined : (named ?? found[0] ?? record);
					if (record && isDone(record)) return undefined;
					const rest = end - Date.now();
					if (rest <= 0) return late();
					await sleep(Math.min(rest, pollInterval), signal);
				}
			});
			if (result === 'ECONNABORTED') return final(response, record, late());
			const isStopped = result === 'ERR_CANCELED';
			return final(response, record, isStopped ? 'The execution was stopped.' : result);
		},
	};
}
