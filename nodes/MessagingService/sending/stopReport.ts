import type { Operation } from './operation';
import { itemName } from '../api/failure';
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
			.map(({ index, failure }) => `${itemName(index)} (${truncate(failure.message)})`);
		const more = others.length > namedFailures ? ` and ${others.length - namedFailures} more` : '';
		sentences.push(`Also failed: ${named.join(', ')}${more}.`);
	}
	if (operation.billable) sentences.push(sentBefore(operation, results));
	return sentences.join(' ');
}

/** The one sentence that tells what went out, as far as it is certain. */
function sentBefore(operation: Operation, results: Array<Result | undefined>): string {
	const sent = results.flatMap((result) => (result && 'records' in result ? [result.records] : []));
	if (sent.length === 0) return nothingSent(operation, results);
	const kept = 'a retry of this execution does not send them again.';
	if (operation.kind === 'item') {
		return `${sent.length} of ${results.length} items were sent before this; ${kept}`;
	}
	const names = sent.flat().map((record) => operation.nameRecord(record));
	const named = names.slice(0, namedRecords).join(', ');
	const more = names.length > namedRecords ? ` and ${names.length - namedRecords} more` : '';
	return `Before this, ${named}${more} went out; ${kept}`;
}

function nothingSent({ kind }: Operation, results: Array<Result | undefined>): string {
	const mayBeSent = results.some(
		(result) => result && 'failure' in result && result.failure.outcome === 'unknown',
	);
	if (!mayBeSent) return 'Nothing was sent.';
	if (results.length === 1) return '';
	// Requests of a joined operation go out one after another.
	return kind === 'joined'
		? 'Nothing was sent before this.'
		: `0 of ${results.length} items were sent before this.`;
}

const truncate = (text: string): string =>
	text.length > messageLength ? `${text.slice(0, messageLength)}…` : text;
