import type { IDataObject } from 'n8n-workflow';
import type { ReadPage } from '../api/changingList';
import { readPage, type List } from '../api/lists';
import { newestFirst } from '../api/pages';
import type { ApiRequest, Call } from '../api/request';
import { ChangeDetector, type Change, type ListRules } from './changeDetector';
import { pack, unpack, type History } from './history';

/** One kind of thing that the trigger watches. */
export interface Watch {
	/** What is watched; with another one stored, the trigger starts afresh. */
	identity: IDataObject;
	/**
	 * Looks for what has happened since the last poll.
	 *
	 * @param stored what the last poll gave to store; undefined at the starting point
	 * @returns the items of the events, oldest first, and what to store
	 */
	poll(call: Call, stored: unknown): Promise<{ items: IDataObject[]; state: IDataObject }>;
	/** An event as it could happen, from the account's own data as far as there is some. */
	sample(call: Call): Promise<IDataObject>;
}

/** A list whose records are watched for changes. */
interface WatchedList {
	identity: IDataObject;
	list: List;
	query?: ApiRequest['query'];
	rules: ListRules;
	/** The items that a change of a record makes. */
	itemsOf(change: Change): IDataObject[];
	sample: Watch['sample'];
}

/** Watches a list: stores its history, and gives items for what has changed since. */
export function listWatch({ identity, list, query, rules, itemsOf, sample }: WatchedList): Watch {
	return {
		identity,
		poll: async (call, stored) => {
			const read: ReadPage = async (index, fresh) =>
				await readPage(call, list, query, { index, size: rules.pageSize, fresh });
			const { changes, history } = await readChanges(read, rules, unpack(stored));
			return { items: changes.flatMap((change) => itemsOf(change)), state: pack(history) };
		},
		sample,
	};
}

/**
 * Reads as much of a list as is needed to know what has changed.
 *
 * @param before what is known of the list; undefined at the starting point, which has no changes
 */
export async function readChanges(
	read: ReadPage,
	rules: ListRules,
	before: History | undefined,
): Promise<{ changes: Change[]; history: History }> {
	const detector = new ChangeDetector(rules, before);
	for await (const page of newestFirst(read, rules)) {
		detector.add(page);
		if (detector.isEnough()) break;
	}
	return detector.finish();
}
