import { DateTime } from 'luxon';

/** A time as the service writes it. */
export interface Moment {
	/** Milliseconds since 1970; UTC if no offset is written. */
	time: number;
	/** The last millisecond that it can mean: a time in whole seconds lasts a second. */
	last: number;
	/** Whether its offset is written. Without one, only its zone is unknown. */
	hasOffset: boolean;
}

/** Maximum length of a time, to limit how long the regular expressions below can take. */
const maxLength = 60;

/** Offsets that exist: up to 18 hours, which is the limit of ISO 8601 libraries. */
const offset = /Z|[+-](?:0\d|1[0-8])(?::?[0-5]\d)?/.source;

const usual = new RegExp(
	`^(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d:\\d\\d)(:\\d\\d)?(?:(?<=:\\d\\d:\\d\\d)[.,](\\d+))?(${offset})?$`,
	'i',
);

/** The time of day with its decimals and offset, in any form. */
const timeOfDay = new RegExp(`T([\\d:]+)(?:[.,](\\d+))?(${offset})?$`, 'i');

/** Milliseconds of the last written part of a time: of a day, or by the digits of a time of day. */
const units: Record<number, number> = { 0: 86_400_000, 2: 3_600_000, 4: 60_000, 6: 1_000 };

/** Reads a time in any form of ISO 8601; a space may replace `T`. Undefined for anything else. */
export function momentOf(written: unknown): Moment | undefined {
	if (typeof written !== 'string' || written.length > maxLength) return undefined;
	const text = written
		.trim()
		.replace('\u2212', '-')
		.replace(/(?<=\d) +(?=[-+Z])/i, '')
		.replace(/(?<=\d) +(?=\d)/, 'T');
	const time = parsed(text);
	if (Number.isNaN(time)) return undefined;
	const [, clock = '', decimals = '', zone] = timeOfDay.exec(text) ?? [];
	const unit = units[clock.replace(/:/g, '').length] ?? 1;
	const last = time + Math.max(1, unit / 10 ** decimals.length) - 1;
	return { time, last, hasOffset: zone !== undefined };
}

function parsed(text: string): number {
	// A poll reads 10,000 records, for which Luxon would need a second.
	const [, date, minutes, seconds = ':00', decimals = '', zone = 'Z'] = usual.exec(text) ?? [];
	if (date !== undefined) {
		const milliseconds = decimals.padEnd(3, '0').slice(0, 3);
		const colon = zone.replace(
			/^(...):?(..)?$/,
			(_all, hours: string, rest = '00') => `${hours}:${rest}`,
		);
		return Date.parse(`${date}T${minutes}${seconds}.${milliseconds}${colon.toUpperCase()}`);
	}
	// Luxon reads a time without a date as today, so the text must start with a year.
	if (!/^[+-]?\d{4}/.test(text)) return NaN;
	// Luxon also accepts offsets that no place has.
	if (/^[^T]*T.*[+-](19|[2-9]\d|\d\d:?[6-9])/i.test(text)) return NaN;
	return DateTime.fromISO(text, { zone: 'utc' }).toMillis();
}

/** The time of an ISO 8601 text in milliseconds since 1970 (UTC if no offset); NaN for anything else. */
export const timeOf = (written: unknown): number => momentOf(written)?.time ?? NaN;
