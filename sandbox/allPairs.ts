import { QUESTIONS, type AssumptionName, type Assumptions } from './assumptions';

type Choice = readonly [name: AssumptionName, setting: Assumptions[AssumptionName]];

/** Every assumption with its settings, the default first. */
export function assumptionSettings(): Array<{
	name: AssumptionName;
	settings: ReadonlyArray<Assumptions[AssumptionName]>;
}> {
	return (Object.keys(QUESTIONS) as AssumptionName[]).map((name) => ({
		name,
		settings: QUESTIONS[name].settings,
	}));
}

const written = (choice: Choice): string => JSON.stringify(choice);

/**
 * A few lists of assumptions in which any two settings of any two assumptions meet at least once:
 * what a test goes through to hold under every pair of settings. The first is all defaults.
 *
 * @param names the assumptions that matter to the test; the others are left out
 */
export function allPairs(
	names: readonly AssumptionName[] = assumptionSettings().map(({ name }) => name),
): Array<Partial<Assumptions>> {
	const wanted = assumptionSettings().filter(({ name }) => names.includes(name));
	const choices = wanted.map(({ name, settings }) =>
		settings.map((setting): Choice => [name, setting]),
	);
	const open = openPairs(choices);
	const rows: Choice[][] = [];
	const add = (row: Choice[]) => {
		for (const one of row) for (const other of row) open.get(written(one))?.delete(written(other));
		rows.push(row);
	};
	add(choices.flatMap((settings) => settings.slice(0, 1)));
	for (;;) {
		const start = choices.flat().find((one) => open.get(written(one))?.size);
		if (!start) return rows.map((row) => Object.fromEntries(row) as Partial<Assumptions>);
		add(rowWith(start, choices, open));
	}
}

/** For each choice, the choices of other assumptions that it has not met yet. */
function openPairs(choices: Choice[][]): Map<string, Set<string>> {
	const all = choices.flat();
	return new Map(
		all.map((one) => [written(one), new Set(all.filter(([name]) => name !== one[0]).map(written))]),
	);
}

/** A choice per assumption, `start` among them, of which each meets as many new ones as it can. */
function rowWith(start: Choice, choices: Choice[][], open: Map<string, Set<string>>): Choice[] {
	const row = [start];
	const newTo = (one: Choice) =>
		row.filter((other) => open.get(written(one))?.has(written(other))).length;
	for (const settings of choices) {
		if (settings.some(([name]) => name === start[0])) continue;
		const [best] = [...settings].sort((a, b) => newTo(b) - newTo(a));
		if (best) row.push(best);
	}
	return row;
}
