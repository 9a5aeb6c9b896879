import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../api/request';

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
