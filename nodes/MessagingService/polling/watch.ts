import type { IDataObject } from 'n8n-workflow';
import { countsOf, readPage, type TimedList } from '../api/lists';
import { readNewest } from '../api/newest';
import type { ApiRequest, Call } from '../api/client';
import { compare, historyIn, type Change, type ListRules } from './history';

/** One kind of thing that the trigger watches. */
export interface Watch {
	/** What is watched; with another one stored, the trigger starts afresh. */
	identity: IDataObject;
	/**
	 * Looks for what has happened since the last poll.
	 *
	 * @param stored what the last poll gave to store; undefined at the starting point
	 * @param isOld whether n8n was restarted since: it has stored what a poll with items gave, none later
	 * @returns the items of the events, oldest first, and what to store
	 */
	poll(
		call: Call,
		stored: unknown,
		isOld?: boolean,
	): Promise<{ items: IDataObject[]; state: IDataObject }>;
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
 * Watches a list. Its first page tells by the counts whether anything can have happened. If so, the
 * newest records are read, as many as the window holds, and compared with those of before.
 */
export function listWatch(watched: WatchedList): Watch {
	const { identity, list, query, rules, itemsOf, sample } = watched;
	return {
		identity,
		poll: async (call, stored) => {
			const now = Date.now();
			const before = historyIn(stored);
			const page = await readPage(call, list, query);
			const counts = countsOf(page);
			if (before && before.counts === counts && (before.nextLook ?? Infinity) > now) {
				// Counts by status tell of every change, a total alone of new records only.
				const isQuiet = rules.isCounted
					? page.stats !== undefined
					: page.total !== undefined &&
						compare(before, page.records, counts, rules, now).changes.length === 0;
				if (isQuiet) return { items: [], state: before };
			}
			const newest = await readNewest(call, list, { query, limit: rules.window });
			const { changes, history } = compare(before, newest, counts, rules, now);
			return { items: changes.flatMap((change) => itemsOf(change)), state: history };
		},
		sample,
	};
}
