import { isWritten, writeTable } from '../../../harness/docs';
import type { Execution } from '../../../harness';
import { countFates, fates, untrue, type Counts, type Fate } from './ledger';
import type { Arrival } from './service';
import { sender, type MakeSend, type Stage } from './stage';

/** What a history is played with: the node that sends is this package's or HTTP Request. */
export interface Play {
	stage: Stage;
	send: MakeSend;
}

/** What came of a history. */
export interface Played {
	/** The last execution. */
	execution: Execution;
	/** Recipients of each run of the node in it. */
	runs: string[][];
	/** What the history has made arrive. */
	arrivals: Arrival[];
	stage: Stage;
}

export interface Outcome extends Played {
	all: Fate[];
}

/** What must come of a history; one row of a table in docs/reliability.md. */
export interface Expected {
	what: string;
	/** Where it is not: nothing twice, nothing missing, nothing unknown. */
	expected?: Partial<Counts> | ((counts: Counts) => void);
	check?(outcome: Outcome): void;
	/** Whether HTTP Request can play it too, where the documents are written. */
	hasPeer?: boolean;
}

export interface Row extends Expected {
	/** Recipients of each run of the node in the last execution. */
	runs: string[][];
	/** Plays the history; gives the last execution. */
	play(play: Play): Promise<Execution>;
}

/** The nodes that a history is played with. */
export type Player = 'HTTP Request' | 'Messaging Service';

const head = [
	'| what | items | arrived | twice | missing | unknown | HTTP Request: twice |',
	'|---|---:|---:|---:|---:|---:|---:|',
];

/**
 * One test for each row, and the table of what came of all of them. HTTP Request plays the rows only
 * where the documents are written: what another node does says nothing about this one.
 *
 * @param name of the table's block in docs/reliability.md
 * @param rows which HTTP Request can play, too, where they do not say that it cannot
 * @param getStage gives the stage once it is open
 */
export function playRows(name: string, rows: Row[], getStage: () => Stage): void {
	const all = rows.map((row) => ({ hasPeer: true, ...row }));
	tellRows(name, all, async ({ play, runs }, player) => {
		const stage = getStage();
		stage.service.reset();
		const execution = await play({ stage, send: senderOf(stage, player) });
		return { execution, runs, stage, arrivals: stage.service.arrivals };
	});
}

/** The nodes that play a row. */
export const playersOf = ({ hasPeer }: Expected): Player[] =>
	isWritten && hasPeer ? ['Messaging Service', 'HTTP Request'] : ['Messaging Service'];

export const senderOf = (stage: Stage, player: Player): MakeSend =>
	player === 'HTTP Request' ? stage.peer : stage.ours;

/**
 * One test for each row, and the table of what came of all of them.
 *
 * @param playedBy gives what came of a row
 */
export function tellRows<R extends Expected>(
	name: string,
	rows: R[],
	playedBy: (row: R, player: Player) => Promise<Played>,
): void {
	/** Of each row its own figures, and how many HTTP Request has sent twice. */
	const figures = new Map<string, Array<number | string>>();

	async function outcomeOf(row: R, player: Player): Promise<Outcome & { counts: Counts }> {
		const played = await playedBy(row, player);
		const all = fates(played.arrivals, played.execution, sender, played.runs);
		const counts = countFates(all, played.arrivals);
		const { items, arrived, twice, missing, unknown } = counts;
		const own = [items, arrived, twice, missing, unknown];
		figures.set(row.what, [
			...(figures.get(row.what) ?? []),
			...(player === 'HTTP Request' ? [twice] : own),
		]);
		return { ...played, all, counts };
	}

	describe.each(rows)('$what', (row) => {
		test('Messaging Service', async () => {
			const { counts, ...outcome } = await outcomeOf(row, 'Messaging Service');
			const { expected = {} } = row;
			if (typeof expected === 'function') expected(counts);
			else expect(counts).toMatchObject({ twice: 0, missing: 0, unknown: 0, ...expected });
			expect(untrue(outcome.all)).toEqual([]);
			row.check?.(outcome);
		});

		if (!playersOf(row).includes('HTTP Request')) return;
		test('HTTP Request for comparison', async () => {
			const { arrivals, runs } = await outcomeOf(row, 'HTTP Request');
			const known = new Set(runs.flat());
			expect(arrivals.filter(({ recipient }) => !known.has(recipient))).toEqual([]);
		});
	});

	afterAll(() => {
		const lines = [...figures].map(([what, own]) => {
			const [items, arrived, twice, missing, unknown, peer = '–'] = own;
			return `| ${[what, items, arrived, twice, missing, unknown, peer].join(' | ')} |`;
		});
		writeTable(name, [...head, ...lines].join('\n'));
	});
}
