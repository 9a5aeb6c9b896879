/** One measured comparison, as bench/results.json has it. */
export interface Row {
	name: string;
	unit: string;
	ours: number;
	/** The bar for `ours` itself. */
	most: number | null;
	peer: number | null;
	peerName: string | null;
	/** Ours against the peer, oriented so that lower is better. */
	ratio: number | null;
	/** The bar for `ratio`. */
	target: number | null;
	/** What the same work takes at best. */
	limit: number | null;
	limitName: string | null;
	/** Ours against the limit, oriented so that lower is better. */
	limitRatio: number | null;
	/** The bar for `limitRatio`. */
	limitTarget: number | null;
}

/** What was measured in each round. */
export interface Comparison {
	name: string;
	unit: string;
	ours: number[];
	most?: number;
	peer?: number[];
	peerName?: string;
	target?: number;
	limit?: number[];
	/** A script without n8n if left out. */
	limitName?: string;
	limitTarget?: number;
	/** Events per second, for example. */
	higherIsBetter?: boolean;
}

/** Medians of all rounds; a ratio is the median of the rounds' own ratios, so that drift cancels out. */
export function toRow(comparison: Comparison): Row {
	const { name, unit, ours, peer, limit, higherIsBetter = false } = comparison;
	const ratioTo = (others: number[]) =>
		median(
			ours.map((own, round) => {
				const other = others[round] ?? NaN;
				return higherIsBetter ? other / own : own / other;
			}),
		);
	return {
		name,
		unit,
		ours: median(ours),
		most: comparison.most ?? null,
		peer: peer ? median(peer) : null,
		peerName: comparison.peerName ?? null,
		ratio: peer ? ratioTo(peer) : null,
		target: comparison.target ?? null,
		limit: limit ? median(limit) : null,
		limitName: limit ? (comparison.limitName ?? 'bare script') : null,
		limitRatio: limit ? ratioTo(limit) : null,
		limitTarget: comparison.limitTarget ?? null,
	};
}

/** How often a row's worst figure takes its bar: above 1 it misses it. */
export function shortfall({ ours, most, ratio, target, limitRatio, limitTarget }: Row): number {
	const share = (value: number | null, bar: number | null) =>
		value === null || bar === null ? 0 : value / bar;
	return Math.max(share(ours, most), share(ratio, target), share(limitRatio, limitTarget));
}

/** Runs contenders in turn, each once per round; every other round goes backwards. */
export async function alternate<Who extends string, Result>(
	rounds: number,
	contenders: Record<Who, () => Promise<Result>>,
): Promise<Record<Who, Result[]>> {
	const names = Object.keys(contenders) as Who[];
	const results = Object.fromEntries(names.map((who) => [who, [] as Result[]])) as Record<
		Who,
		Result[]
	>;
	for (let round = 0; round < rounds; round++) {
		for (const who of round % 2 === 0 ? names : [...names].reverse()) {
			results[who].push(await contenders[who]());
		}
	}
	return results;
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

/**
 * The exponent by which a cost grows with the work: 1 is as fast as the work. It is the slope of the
 * line that fits the logarithms best.
 */
export function exponent(costs: Array<{ work: number; cost: number }>): number {
	const points = costs.map(({ work, cost }) => ({ x: Math.log(work), y: Math.log(cost) }));
	const mean = (pick: (point: { x: number; y: number }) => number) =>
		points.reduce((sum, point) => sum + pick(point), 0) / points.length;
	const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
	return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
}
