import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../api/client';

export interface Watch {
	/** Identifies what is watched. If it changes, the trigger starts over. */
	identity: IDataObject;
	/**
	 * Finds what has happened since the last poll, oldest first.
	 *
	 * @param stored the state that the last poll returned; undefined for the first poll
	 * @param afterRestart whether it is only the state of the last poll that emitted items, from n8n's database
	 */
	poll(
		call: Call,
		stored: IDataObject | undefined,
		afterRestart?: boolean,
	): Promise<{ items: IDataObject[]; state: IDataObject }>;
	/** An example event, made from the account's own data if there is any. */
	sample(call: Call): Promise<IDataObject>;
}
