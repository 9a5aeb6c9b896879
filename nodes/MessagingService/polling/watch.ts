import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../api/client';

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
		stored: IDataObject | undefined,
		isOld?: boolean,
	): Promise<{ items: IDataObject[]; state: IDataObject }>;
	/** An event as it could happen, from the account's own data as far as there is some. */
	sample(call: Call): Promise<IDataObject>;
}
