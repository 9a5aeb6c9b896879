import { writeTable } from '../../../harness/docs';
import type { Execution } from '../../../harness';
import { countFates, fates, untrue, type Counts, type Fate } from './ledger';
import { SENDER, type MakeSend, type Stage } from './stage';

/** What a history is played with: the node that sends is this package's or HTTP Request. */
export interface Play {
	stage: Stage;
	send: MakeSend;
}

export interface Outcome {
	execution: Execution;
	all: Fate[];
	stage: Stage;
}

/** A history and what must come of it; one row of a table in docs/reliability.md. */
export interface Row {
	what: string;
	/** Recipients of each run of the node in the last execution. */
	runs: string[][];
	/** Plays the history; gives the last execution. */
	play(play: Play): Promise<Execution>;
	/** Where it is not: nothing twice, nothing missing, nothing unknown. */
	expected?: Partial<Counts> | ((counts: Counts) => void);
	check?(outcome: Outcome): void;
	/** Whether HTTP Request can play it too. */
	hasPeer?: boolean;
}

const HEAD = [
	'| what | node | items | arrived | twice | missing | unknown |',
	'|---|---|---:|---:|---:|---:|---:|',
];

/**
 * One test for each row and node, and the table of what came of all of them.
 *
 * @param name of the table's block in docs/reliability.md
 * @param getStage gives the stage once it is open
 */
export function playRows(name: string, rows: Row[], getStage: () => Stage): void {
	const lines: string[] = [];

	async function play(
		row: Row,
		node: string,
		send: MakeSend,
	): Promise<Outcome & { counts: Counts }> {
		const stage = getStage();
		const { service } = stage;
		service.reset();
		const execution = await row.play({ stage, send });
		const all = fates(service.arrivals, execution, SENDER, row.runs);
		const counts = countFates(all, service.arrivals);
		const { items, arrived, twice, missing, unknown } = counts;
		const told = node === 'HTTP Request' ? '–' : unknown;
		lines.push(`| ${[row.what, node, items, arrived, twice, missing, told].join(' | ')} |`);
		return { execution, all, stage, counts };
	}

	describe.each(rows)('$what', (row) => {
		test('Messaging Service', async () => {
			const { counts, ...outcome } = await play(row, 'Messaging Service', getStage().ours);
			const { expected = {} } = row;
			if (typeof expected === 'function') expected(counts);
			else expect(counts).toMatchObject({ twice: 0, missing: 0, unknown: 0, ...expected });
			expect(untrue(outcome.all)).toEqual([]);
			row.check?.(outcome);
		});

		if (row.hasPeer === false) return;
		test('HTTP Request for comparison', async () => {
			const { stage } = await play(row, 'HTTP Request', getStage().peer);
			const known = new Set(row.runs.flat());
			expect(stage.service.arrivals.filter(({ recipient }) => !known.has(recipient))).toEqual([]);
		});
	});

	afterAll(() => {
		const table = [...HEAD, ...lines].join('\n');
		console.log(table);
		writeTable(name, table);
	});
}
