import { InputFailure } from '../api/failure';
import type { Read } from './read';
import { momentIn } from './schemas';

/** Two moments in milliseconds, both part of the range; open where one is missing. */
export interface TimeRange {
	since?: number;
	until?: number;
}

/**
 * Reads a range from two parameters.
 *
 * @throws InputFailure when it ends before it starts
 */
export function readTimeRange(
	read: Read,
	from: { name: string; label: string },
	to: { name: string; label: string },
): TimeRange {
	const since = read(from.name, momentIn(read.timeZone));
	const until = read(to.name, momentIn(read.timeZone));
	if (since !== undefined && until !== undefined && since > until) {
		const [start, end] = [since, until].map((time) => new Date(time).toISOString());
		throw new InputFailure(
			`${from.label} (${start}) is after ${to.label} (${end})`,
			'Exchange the two.',
		);
	}
	return { since, until };
}
