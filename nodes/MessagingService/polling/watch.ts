import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../api/failure';
import { readPage, type TimedList } from '../api/lists';
import { readNewest } from '../api/newest';
import { telling, type ApiRequest, type Call } from '../api/client';
import { compare, keyOf, type Change, type History, type ListRules } from './history';

/** One kind of thing that the trigger watches. */
export interface Watch {
	/** What is watched; with another one stored, the trigger starts afresh. */
	identity: IDataObject;
	/**
	 * Looks for what has happened since the last poll.
	 *
	 * @param stored what the last poll gave to store; undefined at the starting point
	 * @param isOld whether n8n was restarted since: it has stored what a poll with items gave, none later
	 * @returns the items of the events, oldest first, what to store, and what has failed beside that
	 */
	poll(
		call: Call,
		stored: IDataObject | undefined,
		isOld?: boolean,
	): Promise<{ items: IDataObject[]; state: IDataObject; failure?: Failure }>;
	/** An event as it could happen, from the account's own data as far as there is some. */
	sample(call: Call): Promise<IDataObject>;
}

/** A list whose records are watched for changes. */
interface WatchedList {
	identity: IDataObject;
	list: TimedList;
	query?: ApiRequest['query'];
	rules: ListRules;
	/** The items that a change of a record makes. */
	itemsOf(change: Change): IDataObject[];
	sample: Watch['sample'];
}

/**
 * Watches a list. Where its first page shows the same records with the same statuses and counts as
 * before, and nothing is open, nothing has happened. Else the newest records are read, as many as the
 * window holds, and compared with those of before.
 */
export function listWatch(watched: WatchedList): Watch {
	const { identity, list, query, rules, itemsOf, sample } = watched;
	return {
		identity,
		poll: async (call, stored) => {
			let now = Date.now();
			const before = stored as History | undefined;
			const page = await readPage(
				telling(call, (told) => (now = told)),
				list,
				query,
			);
			const statuses = page.records.map((record) => [record.id, rules.statusOf(record)]);
			const shown = keyOf([page.counts, ...statuses.map(String).sort()]);
			const isQuiet = page.total !== undefined && before?.shown === shown;
			if (isQuiet && (before.nextLook ?? Infinity) > now) return { items: [], state: before };

			const newest = await readNewest(call, list, { query, limit: rules.window });
			const { changes, history } = compare(before, newest, shown, rules, now);
			return { items: changes.flatMap((change) => itemsOf(change)), state: history };
		},
		sample,
	};
}
