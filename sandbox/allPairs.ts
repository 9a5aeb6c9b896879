import { questions, type AssumptionName, type Assumptions } from './assumptions';
import { SeededRandom } from './random';

/** Every assumption with its settings, the default first. */
export function assumptionSettings(): Array<{
	name: AssumptionName;
	settings: ReadonlyArray<Assumptions[AssumptionName]>;
}> {
	return (Object.keys(questions) as AssumptionName[]).map((name) => ({
		name,
		settings: questions[name].settings,
	}));
}

/** Rows that are tried for each one that is taken; more of them give fewer rows. */
const candidateCount = 20;

/**
 * A few sets of assumptions in which any two settings of any two assumptions meet at least once:
 * what a test goes through to hold under every pair of settings. The first is all defaults; the same
 * names always give the same sets.
 *
 * @param names the assumptions that matter to the test; the others are left out
 */
export function allPairs(names?: readonly AssumptionName[]): Array<Partial<Assumptions>> {
	const wanted = assumptionSettings().filter(({ name }) => names?.includes(name) ?? true);
	// Each setting of each assumption gets a number; a row has one of each assumption.
	const choices = wanted.flatMap(({ name, settings }) =>
		settings.map((setting) => ({ name, setting })),
	);
	const groups = wanted.map(({ name }) =>
		choices.flatMap((choice, number) => (choice.name === name ? [number] : [])),
	);
	const random = new SeededRandom(1, 'pairs');
	const pairs = new Pairs(groups, choices.length);
	const rows = [groups.map(([first = 0]) => first)];
	pairs.meet(rows[0] ?? []);
	while (pairs.left > 0) {
		const candidates = Array.from({ length: candidateCount }, () => pairs.row(random));
		const ranked = candidates.map((row) => ({ row, news: pairs.newsOf(row) }));
		const { row } = ranked.reduce((best, one) => (one.news > best.news ? one : best));
		pairs.meet(row);
		rows.push(row);
	}
	return rows.map((row) =>
		Object.fromEntries(
			row.flatMap((number) => {
				const choice = choices[number];
				return choice ? [[choice.name, choice.setting]] : [];
			}),
		),
	);
}

/** Which settings have met. One has to meet itself, so that one assumption alone is gone through too. */
class Pairs {
	/** Pairs that have not met. */
	left = 0;

	/** 1 for each pair that has not met. */
	private readonly open: Uint8Array;

	constructor(
		private readonly groups: readonly number[][],
		private readonly size: number,
	) {
		this.open = new Uint8Array(size * size).fill(1);
		for (const group of groups) {
			for (const one of group) for (const other of group) if (one !== other) this.close(one, other);
		}
		this.left = this.open.reduce((sum, one) => sum + one, 0);
	}

	meet(row: readonly number[]): void {
		this.left -= this.newsOf(row);
		for (const one of row) for (const other of row) this.close(one, other);
	}

	/** How many pairs of a row have not met, each counted from both sides. */
	newsOf(row: readonly number[]): number {
		return row.reduce((sum, one) => sum + this.newsWith(row, one), 0);
	}

	/** A row in which each setting meets as many new ones as it can, taken in an order of chance. */
	row(random: SeededRandom): number[] {
		const row: number[] = [];
		const shuffled = this.groups.map((group) => ({ group, rank: random.fraction() }));
		for (const { group } of shuffled.sort((a, b) => a.rank - b.rank)) {
			const ranked = group.map((one) => ({
				one,
				news: this.newsWith([...row, one], one) + random.fraction(),
			}));
			row.push(ranked.reduce((best, next) => (next.news > best.news ? next : best)).one);
		}
		return row;
	}

	private newsWith(row: readonly number[], one: number): number {
		let news = 0;
		for (const other of row) news += this.open[one * this.size + other] ?? 0;
		return news;
	}

	private close(one: number, other: number): void {
		this.open[one * this.size + other] = 0;
	}
}
