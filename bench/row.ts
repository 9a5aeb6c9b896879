/** One measured comparison, as bench/results.json has it. */
export interface Row {
	name: string;
	unit: string;
	ours: number;
	peer: number | null;
	peerName: string | null;
	/** Ours against the peer, oriented so that lower is better. */
	ratio: number | null;
	/** The bar for `ratio`. */
	target: number | null;
	/** What the machine can do at best. */
	limit: number | null;
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
	peer?: number[];
	peerName?: string;
	target?: number;
	limit?: number[];
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
		peer: peer ? median(peer) : null,
		peerName: comparison.peerName ?? null,
		ratio: peer ? ratioTo(peer) : null,
		target: comparison.target ?? null,
		limit: limit ? median(limit) : null,
		limitRatio: limit ? ratioTo(limit) : null,
		limitTarget: comparison.limitTarget ?? null,
	};
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
