/** One measured comparison, as bench/results.json has it. */
export interface Row {
	name: string;
	unit: string;
	ours: number;
	peer: number | null;
	peerName: string;
	/** Lower is better: ours against the peer. */
	ratio: number | null;
	/** The bar for `ratio`, or for `limitRatio` where there is no peer. */
	target: number | null;
	/** What the machine can do at best. */
	limit: number | null;
	/** Lower is better: ours against the limit. */
	limitRatio: number | null;
}

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The value below which a share of all values lies. */
export function percentile(values: number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** The rows as a Markdown table. */
export function table(rows: Row[]): string {
	const number = (value: number | null) =>
		value === null ? '' : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
	return [
		'| work | unit | ours | peer | | ratio | limit | ratio to limit | target |',
		'|---|---|---:|---:|---|---:|---:|---:|---:|',
		...rows.map(
			({ name, unit, ours, peer, peerName, ratio, limit, limitRatio, target }) =>
				`| ${[name, unit, number(ours), number(peer), peerName, number(ratio), number(limit), number(limitRatio), number(target)].join(' | ')} |`,
		),
	].join('\n');
}
