import { sleep, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { Failure, failureOr } from '../api/failure';
import type { Read } from '../parameters/read';
import { longestTime, wholeNumber } from '../parameters/schemas';

/** How long to wait and how often to look, in milliseconds. */
export interface WaitLimits {
	maxWait: number;
	pollInterval: number;
}

/** What waiting came to. */
export interface Waited {
	/** The record as it was seen last. */
	record: IDataObject | undefined;
	/** Why waiting ended before the record was as wanted; absent if it was. */
	waitStopped?: string;
}

/**
 * The options `maxWait` and `pollInterval`.
 *
 * @param shown when they are shown
 * @param what is waited for, e.g. "the end of the call"
 * @param where it is looked up, e.g. "the call log"
 */
export const waitOptions = (
	shown: INodeProperties['displayOptions'],
	what: string,
	where: string,
): INodeProperties[] => [
	{
		displayName: 'Wait at Most (Seconds)',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description: `How long to wait for ${what} before the node goes on without it`,
		displayOptions: shown,
	},
	{
		displayName: 'Wait Between Checks (Seconds)',
		name: 'pollInterval',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 5,
		description: `Time between two looks at ${where}`,
		displayOptions: shown,
	},
];

const seconds = wholeNumber(1, Math.floor(longestTime / 1_000));

/** Reads the options; throws InputFailure. */
export const readWaitLimits = (read: Read): WaitLimits => ({
	maxWait: 1_000 * read('options.maxWait', seconds),
	pollInterval: 1_000 * read('options.pollInterval', seconds),
});

/**
 * Looks for a record until it is as wanted or `maxWait` is over, which is when the last look begins.
 * A look that fails ends the waiting and never turns what was sent into a failure.
 *
 * @param look gives the record, the last one seen if there is no newer
 * @param tooLong says what has not happened after that many seconds
 */
export async function waitFor(
	look: (known: IDataObject | undefined) => Promise<IDataObject | undefined>,
	isDone: (record: IDataObject) => boolean,
	tooLong: (seconds: number) => string,
	{ maxWait, pollInterval }: WaitLimits,
	signal?: AbortSignal,
): Promise<Waited> {
	const end = Date.now() + maxWait;
	let record: IDataObject | undefined;
	for (let isLast = false; ; ) {
		const found = await failureOr(look(record));
		if (found instanceof Failure) {
			return { record, waitStopped: `${found.message}. ${found.description}` };
		}
		record = found;
		if (record && isDone(record)) return { record };
		if (isLast) return { record, waitStopped: tooLong(maxWait / 1_000) };
		const left = Math.max(0, end - Date.now());
		isLast = left <= pollInterval;
		const isStopped = await sleep(Math.min(left, pollInterval), signal).then(
			() => false,
			() => true,
		);
		if (isStopped) return { record, waitStopped: 'The execution was stopped.' };
	}
}

/** What waiting came to where n8n was cut off meanwhile. */
export const cutOff = (
	record: IDataObject | undefined,
	isDone: (record: IDataObject) => boolean,
): Waited =>
	record && isDone(record)
		? { record }
		: { record, waitStopped: 'n8n was cut off while this was waited for.' };

/**
 * The response of what was waited for. It was a success when it was sent, so `success` would say
 * nothing about how it went on.
 *
 * @param seen what the record shows
 */
export function withWait(
	response: IDataObject,
	seen: IDataObject,
	{ waitStopped }: Waited,
): IDataObject {
	const item: IDataObject = { ...response, ...seen, ended: waitStopped === undefined };
	if (waitStopped !== undefined) item.waitStopped = waitStopped;
	delete item.success;
	return item;
}
