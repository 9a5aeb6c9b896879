import type { Result } from './run';

/** Further failures that are named; the others are counted. */
const namedFailures = 5;

/**
 * Says what had happened when a failure stopped the run (contract, rules for billable requests).
 *
 * @param stoppedBy place of the failure that is reported itself
 */
export function stopReport(
	results: Array<Result | undefined>,
	stoppedBy: number,
	billable: boolean,
): string {
	const others = results.flatMap((result, index) =>
		result && 'failure' in result && index !== stoppedBy
			? [{ index, failure: result.failure }]
			: [],
	);
	const sentences: string[] = [];
	if (others.length > 0) {
		const named = others
			.slice(0, namedFailures)
			.map(({ index, failure }) => `item ${index} (${failure.message})`);
		const more = others.length > namedFailures ? ` and ${others.length - namedFailures} more` : '';
		sentences.push(`Also failed: ${named.join(', ')}${more}.`);
	}
	if (billable) {
		const sent = results.filter((result) => result && 'records' in result).length;
		sentences.push(
			sent === 0
				? 'No item was sent.'
				: `${sent} of ${results.length} items were sent before this; a retry of this execution does not send them again.`,
		);
	}
	return sentences.join(' ');
}
