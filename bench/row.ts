/** One measured comparison. */
export interface Row {
	name: string;
	unit: string;
	ours: number;
	peer: number;
	peerName: string;
	/** Ours against the peer, oriented so that lower is better. */
	ratio: number;
	/** The bar for `ratio`. */
	target: number;
}

/** What was measured in each round. */
interface Comparison {
	name: string;
	unit: string;
	ours: number[];
	peer: number[];
	peerName: string;
	target: number;
	/** Events per second, for example. */
	higherIsBetter?: boolean;
}

/** Medians of all rounds; a ratio is the median of the rounds' own ratios, so that drift cancels out. */
export function toRow({ ours, peer, higherIsBetter, ...named }: Comparison): Row {
	const ratios = ours.map((own, round) => {
		const other = peer[round] ?? NaN;
		return higherIsBetter ? other / own : own / other;
	});
	const medians = { ours: median(ours), peer: median(peer), ratio: median(ratios) };
	return { ...named, ...medians };
}

/** Runs contenders in turn, each once per round; every other round goes backwards. */
export async function alternate<Who extends string, Result>(
	rounds: number,
	contenders: Record<Who, () => Promise<Result>>,
): Promise<Record<Who, Result[]>> {
	const names = Object.keys(contenders) as Who[];
	const empty = names.map((who): [Who, Result[]] => [who, []]);
	const results = Object.fromEntries(empty) as Record<Who, Result[]>;
	for (let round = 0; round < rounds; round++) {
		for (const who of round % 2 === 0 ? names : [...names].reverse()) {
			results[who].push(await contenders[who]());
		}
	}
	return results;
}

function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The rows as a Markdown table; ✗ marks what misses its target, a ratio that is no number among it. */
export const table = (rows: Row[]): string =>
	[
		'| work | unit | this package | beside | | ratio | target |',
		'|---|---|---:|---|---:|---:|---:|',
		...rows.map((row) => {
			const { name, unit, ours, peer, peerName, ratio, target } = row;
			const marked = `${figure(ratio)}${ratio <= target ? '' : ' ✗'}`;
			return `| ${[name, unit, figure(ours), peerName, figure(peer), marked, `≤ ${figure(target)}`].join(' | ')} |`;
		}),
	].join('\n');

/** Three digits are all that a measurement can claim. */
const figure = (value: number): string =>
	value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
