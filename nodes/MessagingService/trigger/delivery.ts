import { jsonParse, type IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { isJsonObject, textOf } from '../api/response';
import type { Subscription } from './subscription';

/** A delivery that starts an execution, or the response that it gets instead. */
type Verdict =
	/** `key` is the same for the same event; without one, duplicates cannot be known. */
	{ payload: IDataObject; key?: string } | { status: number; body: IDataObject };

const ignored = (reason: string): Verdict => ({ status: 200, body: { ignored: reason } });
const refused = (reason: string): Verdict => ({ status: 400, body: { error: reason } });

/**
 * Judges a delivery whose signature, of the bytes as they came, is good (docs/contract.md, section 6.4).
 * Apart from `event`, no field needs to be there or well spelt. `now` is in milliseconds since 1970.
 */
export function judgeEvent(rawBody: Uint8Array, subscription: Subscription, now: number): Verdict {
	const payload = jsonParse<unknown>(new TextDecoder().decode(rawBody), { fallbackValue: null });
	if (!isJsonObject(payload) || typeof payload.event !== 'string' || payload.event === '') {
		return refused('The body is not a JSON object with an event');
	}
	const { event, timestamp } = payload;
	const { providerMessageId, from, templateName } = isJsonObject(payload.data) ? payload.data : {};
	const { maxAgeSeconds, events, templateNames, fromNumbers } = subscription;

	if (!events.includes(event)) return ignored(`Not subscribed to ${event}`);
	if (
		!passes(templateNames, textOf(templateName)) ||
		!passes(fromNumbers, textOf(from).replace(/\D/g, ''))
	)
		return ignored('Filtered out');
	// An event of unknown age may be old, and one that could be dated as one liked would never grow old.
	if (maxAgeSeconds > 0 && !(Math.abs(now - timeOf(timestamp)) <= maxAgeSeconds * 1_000)) {
		return refused(`The timestamp is not within ${maxAgeSeconds} seconds, or cannot be read`);
	}
	const id = textOf(providerMessageId);
	return { payload, key: id === '' ? undefined : `${event} ${id}` };
}

const passes = (wanted: string[], value: string): boolean =>
	wanted.length === 0 || wanted.includes(value);

/**
 * The moment of an ISO 8601 text in milliseconds since 1970, also with a space in place of `T`; NaN
 * for anything else. Without an offset it counts as UTC.
 */
export function timeOf(timestamp: unknown): number {
	// Luxon would take a time of day for one of today.
	if (typeof timestamp !== 'string' || !/^\s*[+-]?\d{4}/.test(timestamp)) return NaN;
	// It knows all forms of date, time and offset, but only without spaces.
	const text = timestamp
		.trim()
		.replace('\u2212', '-')
		.replace(/(?<=\d) +(?=[+-]|Z$)/, '')
		.replace(/(?<=\d) +(?=\d)/, 'T');
	// It also takes offsets that no place has.
	if (/T.*[+-](19|[2-9]\d|\d\d:?[6-9])/.test(text)) return NaN;
	return DateTime.fromISO(text, { zone: 'utc' }).toMillis();
}
