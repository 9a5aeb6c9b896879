import { startN8n, type Execution, type N8n } from '../../../harness';
import type { Counts } from './ledger';
import { playersOf, type Expected, type Play, type Played, type Player } from './rows';
import { phones, Stage, type SendSettings } from './stage';

/** HTTP Request sends everything at once without a pace, and a crash would find nothing to send. */
export const settings: SendSettings = {
	extra: { onError: 'continueRegularOutput' },
	// Requests wait for their responses until all histories have come to where n8n is killed.
	options: { timeout: 600_000, batching: { batch: { batchSize: 5, batchInterval: 20 } } },
};

/** The same with a key for each item. */
export const keyed: SendSettings = { ...settings, own: { idempotencyKey: '={{ $json.order }}' } };

/**
 * Nothing twice, the rest sent, and little unknown.
 * @param most twice as many sends as go out at once, for each crash (docs/contract.md, section 4)
 */
export function expectRecovered({ twice, missing, unknown }: Counts, most = 10): void {
	expect({ twice, missing }).toEqual({ twice: 0, missing: 0 });
	expect(unknown).toBeLessThanOrEqual(most);
}

/** What a history with a crash is played with. */
export interface CrashPlay extends Play {
	n8n: N8n;
	/** Of this history alone. */
	recipients: string[];
}

/** A history that crashes cut into parts: n8n ends at each `yield`, and the last execution is what it returns. */
type Parts = AsyncGenerator<void, Execution, void>;

export interface CrashRow extends Expected {
	/** 300 by default. */
	items?: number;
	/** Recipients of each run of the node in the last execution; by default, one run with all. */
	runs?(recipients: string[]): string[][];
	play(play: CrashPlay): Parts;
}

interface History {
	row: CrashRow;
	player: Player;
	recipients: string[];
	parts: Parts;
	/** Returns the last execution, or throws what went wrong. */
	end?: () => Execution;
}

/** An n8n of its own that is killed in the middle of its work, and is started again. */
export class CrashingN8n {
	private readonly histories: History[] = [];

	private constructor(
		readonly n8n: N8n,
		readonly stage: Stage,
	) {}

	static async open(): Promise<CrashingN8n> {
		const n8n = await startN8n();
		return new CrashingN8n(n8n, await Stage.open(n8n));
	}

	async close(): Promise<void> {
		await this.stage.close();
		await this.n8n.stop();
	}

	/** Plays histories side by side, so that one crash serves all of them: first a kill, later shutdowns. */
	async play(rows: CrashRow[]): Promise<void> {
		const { stage, n8n, histories } = this;
		for (const [row, player] of rows.flatMap((row) =>
			playersOf(row).map((one) => [row, one] as const),
		)) {
			const recipients = phones(row.items ?? 300, histories.length * 1_000);
			const parts = row.play({ stage, n8n, recipients, send: stage[player] });
			histories.push({ row, player, recipients, parts });
		}
		for (let signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'; ; signal = 'SIGTERM') {
			await Promise.all(histories.filter(({ end }) => !end).map(advance));
			if (histories.every(({ end }) => end)) return;
			await n8n.process.kill(signal);
			await stage.sandbox.control.clearFaults();
			await n8n.process.restart();
		}
	}

	/** The result of a history; throws what went wrong in it. */
	async played(row: CrashRow, player: Player): Promise<Played> {
		const history = this.histories.find((one) => one.row === row && one.player === player);
		if (!history?.end) throw new Error(`"${row.what}" was not played`);
		const runs = row.runs?.(history.recipients) ?? [history.recipients];
		const known = new Set(runs.flat());
		const arrivals = (await this.stage.arrivals()).filter(({ recipient }) => known.has(recipient));
		return { execution: history.end(), runs, arrivals };
	}
}

/** Plays a history to its next crash, or to its end. */
async function advance(history: History): Promise<void> {
	try {
		const { done, value } = await history.parts.next();
		if (done === true) history.end = () => value;
	} catch (error) {
		history.end = () => {
			throw error;
		};
	}
}

/** Presses Retry on an execution that has crashed, and waits for the end. */
export async function retryCrashed(
	{ n8n }: CrashPlay,
	executionId: string,
	isCurrent = false,
): Promise<Execution> {
	const { status } = await n8n.waitForExecution(executionId);
	if (status !== 'crashed') throw new Error(`The execution is not crashed but ${status}`);
	return await n8n.waitForExecution(await n8n.startRetry(executionId, isCurrent));
}
