import { mapValues } from 'lodash';

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

/** What is measured of a run. */
interface Figure<Run> {
	unit: string;
	of: (run: Run) => number;
	/** Events per second, for example. */
	higherIsBetter?: boolean;
}

/** What something else took in each round, and the bar. */
type Peer<Run> = [peerName: string, runs: Run[], target: number];

/**
 * One row for each of what stands beside. Medians of all rounds; a ratio is the median of the rounds' own
 * ratios, so that drift cancels out.
 */
export const compare = <Run>(
	name: string,
	{ unit, of, higherIsBetter }: Figure<Run>,
	own: Run[],
	...peers: Array<Peer<Run>>
): Row[] =>
	peers.map(([peerName, runs, target]) => {
		const [ours, peer] = [own.map(of), runs.map(of)];
		const ratios = ours.map((figure, round) => {
			const other = peer[round] ?? NaN;
			return higherIsBetter ? other / figure : figure / other;
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
	const results = mapValues(contenders, (): Result[] => []);
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
		'| work | unit | this package | versus | | ratio | target |',
		'|---|---|---:|---|---:|---:|---:|',
		...rows.map((row) => {
			const { name, unit, ours, peer, peerName, target } = row;
			const ratio = `${figure(row.ratio)}${isMissed(row) ? ' ✗' : ''}`;
			const cells = [
				name,
				unit,
				figure(ours),
				peerName,
				figure(peer),
				ratio,
				`≤ ${figure(target)}`,
			];
			return `| ${cells.join(' | ')} |`;
		}),
	].join('\n');

/** Three digits are all that a measurement can claim. */
const figure = (value: number): string =>
	value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
