import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../api/request';
import type { Change, ListRules } from './changeDetector';
import { pack, unpack } from './history';
import type { ListPage } from '../api/lists';
import { readChanges } from './readChanges';
import type { Watch } from './watch';

/** A list whose records are watched for changes. */
export interface WatchedList {
	identity: IDataObject;
	rules: ListRules;
	readPage(call: Call, page: number): Promise<ListPage>;
	/** The items that a change of a record makes. */
	itemsOf(change: Change): IDataObject[];
	sample: Watch['sample'];
}

/** Watches a list: stores its history, and gives items for what has changed since. */
export function listWatch({ identity, rules, readPage, itemsOf, sample }: WatchedList): Watch {
	return {
		identity,
		poll: async (call, stored) => {
			const { changes, history } = await readChanges(
				async (page) => await readPage(call, page),
				rules,
				unpack(stored),
			);
			return { items: changes.flatMap((change) => itemsOf(change)), state: pack(history) };
		},
		sample,
	};
}
