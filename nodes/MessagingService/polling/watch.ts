import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../api/client';
import type { Failure } from '../api/failure';

/** One kind of thing that the trigger watches. */
export interface Watch {
	/** Identifies what is watched. If it changes, the trigger starts over. */
	identity: IDataObject;
	/**
	 * Finds what has happened since the last poll.
	 *
	 * @param stored the state that the last poll returned; undefined for the first poll
	 * @param afterRestart whether `stored` was read from n8n's database, as after a restart. It is then the
	 * state of the last poll that emitted items, not of a later one
	 * @returns the items of the events, oldest first; the new state; a failure, if it prevented some events
	 * from being found
	 */
	poll(
		call: Call,
		stored: IDataObject | undefined,
		afterRestart?: boolean,
	): Promise<{ items: IDataObject[]; state: IDataObject; failure?: Failure }>;
	/** An example event, made from the account's own data if there is any. */
	sample(call: Call): Promise<IDataObject>;
}
