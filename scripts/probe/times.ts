/** Times of the service, in any form (docs/service.md, section 2.3). */

/** A time with `Z` or an offset. */
export const hasZone = (time: unknown): boolean =>
	/^\d{4}-.*\d(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(String(time)) && !Number.isNaN(millisecondsOf(time));

/** Milliseconds of a time; without a zone, as if it were UTC. NaN for anything else. */
export function millisecondsOf(time: unknown): number {
	const iso = String(time)
		.replace(' ', 'T')
		.replace(/([+-]\d\d)$/, '$1:00');
	return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
}

/** The day of a time in a zone that is `hours` ahead of UTC. */
export const dayIn = (time: unknown, hours: number): string =>
	new Date(millisecondsOf(time) + hours * 3_600_000).toISOString().slice(0, 10);
