import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { isJsonObject } from '../api/response';

/** What the trigger is set to. */
export interface Subscription {
	events: string[];
	/** Template names to pass on; all if empty. */
	templateNames: string[];
	/** Sending numbers to pass on, as digits; all if empty. */
	fromNumbers: string[];
	/** Seconds that an event may be old, or dated into the future; 0 accepts events of any age. */
	maxAgeSeconds: number;
}

/** A delivery that starts an execution, or the response that it gets instead. */
type Verdict =
	/** `key` is the same for the same event; without one, duplicates cannot be known. */
	{ payload: IDataObject; key?: string } | { status: 200 | 400; reason: string };

/**
 * Judges a delivery whose signature is good (docs/contract.md, section Trigger; docs/service.md,
 * section 6). Pure. Apart from `event`, no field needs to be there or well spelt.
 *
 * @param rawBody the bytes that were signed
 * @param now milliseconds since 1970
 */
export function judgeEvent(rawBody: Uint8Array, subscription: Subscription, now: number): Verdict {
	const payload = parseJson(rawBody);
	if (!isJsonObject(payload) || typeof payload.event !== 'string' || payload.event === '') {
		return { status: 400, reason: 'The body is not a JSON object with an event' };
	}
	const { event, timestamp } = payload;
	const { providerMessageId, from, templateName } = isJsonObject(payload.data) ? payload.data : {};
	const { maxAgeSeconds, events, templateNames, fromNumbers } = subscription;

	if (!events.includes(event)) return { status: 200, reason: `Not subscribed to ${event}` };
	if (!passes(templateNames, textOf(templateName)) || !passes(fromNumbers, digits(from))) {
		return { status: 200, reason: 'Filtered out' };
	}
	if (maxAgeSeconds > 0) {
		const time = timeOf(timestamp);
		// Who wants no old events gets none of unknown age either.
		if (time === undefined) return { status: 400, reason: 'The timestamp cannot be read' };
		if (now - time > maxAgeSeconds * 1_000) {
			return { status: 400, reason: `The event is older than ${maxAgeSeconds} seconds` };
		}
		// An event that could be dated as one liked would never grow old.
		if (time - now > maxAgeSeconds * 1_000) {
			const reason = `The event is dated more than ${maxAgeSeconds} seconds into the future`;
			return { status: 400, reason };
		}
	}
	const id = textOf(providerMessageId);
	return { payload, key: id === '' ? undefined : `${event} ${id}` };
}

const passes = (wanted: string[], value: string): boolean =>
	wanted.length === 0 || wanted.includes(value);

const textOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A phone number without its formatting; empty if it is none. */
export const digits = (value: unknown): string => textOf(value).replace(/\D/g, '');

/**
 * The moment of an ISO 8601 text in milliseconds since 1970, also with a space in place of `T`.
 * Without an offset it counts as UTC.
 */
export function timeOf(timestamp: unknown): number | undefined {
	// Luxon would take a time of day for one of today.
	if (typeof timestamp !== 'string' || !/^\s*[+-]?\d{4}/.test(timestamp)) return undefined;
	// It knows all forms of date, time and offset, but only in capitals and without spaces.
	const text = timestamp
		.trim()
		.toUpperCase()
		.replace('\u2212', '-')
		.replace(/(?<=\d) +(?=[+-]|Z$)/, '')
		.replace(/(?<=\d) +(?=\d)/, 'T');
	// It also takes offsets that no place has.
	const [, hours = 0, minutes = 0] = /T.*[+-](\d\d):?(\d\d)?$/.exec(text) ?? [];
	if (Number(hours) > 18 || Number(minutes) > 59) return undefined;
	const time = DateTime.fromISO(text, { zone: 'utc' });
	return time.isValid ? time.toMillis() : undefined;
}

function parseJson(rawBody: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder().decode(rawBody)) as unknown;
	} catch {
		return undefined;
	}
}
