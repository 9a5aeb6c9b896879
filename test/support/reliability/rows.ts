import { isWritten, writeTable } from '../../../harness/docs';
import type { Execution } from '../../../harness';
import { countFates, fates, untrue, type Arrival, type Counts, type Fate } from './ledger';
import type { MakeSend, Stage } from './stage';

/** What a history is played with: the node that sends is this package's or HTTP Request. */
export interface Play {
	stage: Stage;
	send: MakeSend;
}

/** The result of a history. */
export interface Played {
	/** The last execution. */
	execution: Execution;
	/** Recipients of each run of the node in it. */
	runs: string[][];
	/** Messages of the history at the service. */
	arrivals: Arrival[];
}

export interface Outcome extends Played {
	all: Fate[];
}

/** The required result of a history; one row of a table in docs/reliability.md. */
export interface Expected {
	what: string;
	/** Where it is not: nothing twice, nothing missing, nothing unknown. */
	expected?: Partial<Counts> | ((counts: Counts) => void);
	check?(outcome: Outcome): void;
	/** Whether HTTP Request can play it as well. */
	hasPeer?: boolean;
}

export interface Row extends Expected {
	/** Recipients of each run of the node in the last execution. */
	runs: string[][];
	/** Plays the history; returns the last execution. */
	play(play: Play): Promise<Execution>;
}

/** The nodes that a history is played with, by their method of the stage. */
export type Player = 'ours' | 'peer';

/** HTTP Request plays only where the documents are written, because it shows nothing about this package. */
export const playersOf = ({ hasPeer }: Expected): Player[] =>
	isWritten && hasPeer ? ['ours', 'peer'] : ['ours'];

/** Tests rows that are played one after the other, each by both nodes by default. */
export const playRows = (name: string, rows: Row[], stage: () => Stage): void =>
	testRows(
		name,
		rows.map((row) => ({ hasPeer: true, ...row })),
		async ({ play, runs }, player) => {
			await stage().sandbox.control.reset();
			const execution = await play({ stage: stage(), send: stage()[player] });
			return { execution, runs, arrivals: await stage().arrivals() };
		},
	);

/**
 * One test for each row, and the table of all results.
 *
 * @param name of the table's block in docs/reliability.md
 * @param playedBy returns the result of a row
 */
export function testRows<R extends Expected>(
	name: string,
	rows: R[],
	playedBy: (row: R, player: Player) => Promise<Played>,
): void {
	const table = [
		'| what | items | arrived | twice | missing | unknown | HTTP Request: twice |',
		'|---|---:|---:|---:|---:|---:|---:|',
	];

	async function outcomeOf(row: R, player: Player): Promise<Outcome & { counts: Counts }> {
		const played = await playedBy(row, player);
		const all = fates(played.arrivals, played.execution, played.runs);
		return { ...played, all, counts: countFates(all, played.arrivals) };
	}

	test.each(rows)('$what', async (row) => {
		const { counts, ...outcome } = await outcomeOf(row, 'ours');
		const hasPeer = playersOf(row).includes('peer');
		const peer = hasPeer ? (await outcomeOf(row, 'peer')).counts.twice : '–';
		const { items, arrived, twice, missing, unknown } = counts;
		table.push(`| ${[row.what, items, arrived, twice, missing, unknown, peer].join(' | ')} |`);

		const { expected = {} } = row;
		if (typeof expected === 'function') expected(counts);
		else expect(counts).toMatchObject({ twice: 0, missing: 0, unknown: 0, ...expected });
		expect(untrue(outcome.all)).toEqual([]);
		row.check?.(outcome);
	});

	afterAll(() => writeTable(name, table.join('\n')));
}
