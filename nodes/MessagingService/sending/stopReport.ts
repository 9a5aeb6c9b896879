import type { Operation } from './operation';
import { InputFailure, type Failure } from '../api/failure';
import type { Result } from './sender';

/** Further failures that are named; the others are counted. */
const namedFailures = 5;

/** Characters of the message of a further failure. */
const messageLength = 200;

/** Records that are named; the others are counted. */
const namedRecords = 20;

/**
 * Says what had happened when a failure stopped the run (docs/contract.md, section 4.2).
 *
 * @param stoppedBy place of the failure that is reported itself
 */
export function stopReport(
	operation: Operation,
	results: Array<Result | undefined>,
	stoppedBy: number,
): string {
	const failures = results.flatMap((result, index) =>
		result && 'failure' in result ? [{ index, failure: result.failure }] : [],
	);
	const others = failures.filter(({ index }) => index !== stoppedBy);
	const sentences: string[] = [];
	if (others.length > 0) {
		const named = others
			.slice(0, namedFailures)
			.map(({ index, failure }) => `item ${index} (${truncate(failure.message)})`);
		const more = others.length > namedFailures ? ` and ${others.length - namedFailures} more` : '';
		sentences.push(`Also failed: ${named.join(', ')}${more}.`);
	}
	if (operation.billable) {
		const all = failures.map(({ failure }) => failure);
		sentences.push(sentBefore(operation, results, all));
	}
	return sentences.join(' ');
}

function sentBefore(
	operation: Operation,
	results: Array<Result | undefined>,
	failures: Failure[],
): string {
	const sent = results.flatMap((result) => (result && 'records' in result ? [result.records] : []));
	if (operation.kind === 'joined') {
		if (sent.length === 0) return 'Nothing was sent before this.';
		const names = sent.flat().map((record) => operation.nameRecord(record));
		const named = names.slice(0, namedRecords).join(', ');
		const more = names.length > namedRecords ? ` and ${names.length - namedRecords} more` : '';
		return `Before this, ${named}${more} went out; a retry of this execution does not send them again.`;
	}
	return sent.length === 0
		? nothingSent(results.length, failures)
		: `${sent.length} of ${results.length} items were sent before this; a retry of this execution does not send them again.`;
}

/** Says it only where the failure itself does not, and where it is certain. */
function nothingSent(items: number, failures: Failure[]): string {
	if (failures.some(({ outcome }) => outcome === 'unknown')) {
		return items === 1 ? '' : `0 of ${items} items were sent before this.`;
	}
	const isToldAlready = items === 1 && failures[0] instanceof InputFailure;
	return isToldAlready ? '' : 'No item was sent.';
}

const truncate = (text: string): string =>
	text.length > messageLength ? `${text.slice(0, messageLength)}…` : text;
