import type { Execution } from './execution';

/** What became of the items of a run, counted. */
export interface Tally {
	items: number;
	arrivedOnce: number;
	arrivedTwice: number;
	notArrived: number;
	/** Items whose fate the execution does not tell. */
	unreported: number;
}

/** n8n's error description of this package when a run was stopped. */
const statement = /(\d+) of (\d+) items were sent before this/;

/**
 * Compares what arrived at the service with what n8n tells about it.
 *
 * @param recipients recipient of each item
 * @param accepted recipients of the messages that the service accepted, one per message
 * @param outputs names and output indices of the node's outputs
 */
export function tally(
	recipients: string[],
	accepted: string[],
	execution: Execution,
	nodeName: string,
): Tally {
	const counts = new Map<string, number>(recipients.map((recipient) => [recipient, 0]));
	for (const recipient of accepted) counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
	const times = [...counts.values()];
	return {
		items: recipients.length,
		arrivedOnce: times.filter((count) => count === 1).length,
		arrivedTwice: times.filter((count) => count > 1).length,
		notArrived: times.filter((count) => count === 0).length,
		unreported: unreported(recipients.length, accepted.length, execution, nodeName),
	};
}

function unreported(
	items: number,
	accepted: number,
	execution: Execution,
	nodeName: string,
): number {
	const told = execution.output(nodeName, 0).length + execution.output(nodeName, 1).length;
	if (told > 0 || execution.status === 'success') return items - told;
	const { description } = execution.error ?? {};
	const [, sent = '', of = ''] = statement.exec(description ?? '') ?? [];
	if (/Nothing was sent\.$/.test(description ?? '')) return accepted;
	// The failed item itself is told, whether it arrived or not, and so are all others if the count
	// is right.
	const named = execution.error?.context?.data?.outcome === 'unknown' ? 1 : 0;
	return Number(of) === items ? Math.max(0, Math.abs(Number(sent) - accepted) - named) : items - 1;
}

/** The tallies as a Markdown table. */
export function tallyTable(rows: Array<{ fault: string; node: string; tally: Tally }>): string {
	return [
		'| fault | node | items | arrived once | arrived twice | not arrived | fate not reported |',
		'|---|---|---:|---:|---:|---:|---:|',
		...rows.map(
			({
				fault,
				node,
				tally: { items, arrivedOnce, arrivedTwice, notArrived, unreported: untold },
			}) =>
				`| ${fault} | ${node} | ${items} | ${arrivedOnce} | ${arrivedTwice} | ${notArrived} | ${untold} |`,
		),
	].join('\n');
}
