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

/** What this package took in each round. */
interface Measured {
	name: string;
	/** Milliseconds when left out. */
	unit?: string;
	ours: number[];
	/** Events per second, for example. */
	higherIsBetter?: boolean;
}

/** What something else took in each round, and the bar. */
type Peer = [peerName: string, peer: number[], target: number];

/**
 * One row for each of what stands beside. Medians of all rounds; a ratio is the median of the rounds' own
 * ratios, so that drift cancels out.
 */
export const compare = (
	{ name, unit = 'ms', ours, higherIsBetter }: Measured,
	...peers: Peer[]
): Row[] =>
	peers.map(([peerName, peer, target]) => {
		const ratios = ours.map((own, round) => {
			const other = peer[round] ?? NaN;
			return higherIsBetter ? other / own : own / other;
		});
		const medians = { ours: median(ours), peer: median(peer), ratio: median(ratios) };
		return { name, unit, peerName, target, ...medians };
	});

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

/** A ratio that is no number hits nothing. */
const isMissed = ({ ratio, target }: Row): boolean => !(ratio <= target);

/** The rows as a Markdown table. */
export const table = (rows: Row[]): string =>
	[
		'| work | unit | this package | beside | | ratio | target |',
		'|---|---|---:|---|---:|---:|---:|',
		...rows.map((row) => {
			const { name, unit, ours, peer, peerName, target } = row;
			const ratio = `${figure(row.ratio)}${isMissed(row) ? ' ✗' : ''}`;
			return `| ${[name, unit, figure(ours), peerName, figure(peer), ratio, `≤ ${figure(target)}`].join(' | ')} |`;
		}),
	].join('\n');

/** The rows that miss their target, with how often they take it, as a Markdown list. */
export const missed = (rows: Row[]): string =>
	rows
		.filter(isMissed)
		.map(({ name, peerName, ratio, target }) => {
			const times = figure(ratio / target);
			return `- ✗ ${name}, beside ${peerName}: ${times} times its target`;
		})
		.join('\n');

/** Three digits are all that a measurement can claim. */
const figure = (value: number): string =>
	value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
