import { longPatienceMs, pause, startN8n, type Execution, type N8n } from '../../../harness';
import type { Counts } from './ledger';
import { playersOf, senderOf, type Expected, type Play, type Played, type Player } from './rows';
import { phones, Stage, type SendSettings } from './stage';

/** The most that a run may not know after a crash (docs/contract.md, section 4). */
export const mostUnknown = 10;

/** Milliseconds of sending between the moment that is waited for and the crash. */
const moment = 50;

/** HTTP Request sends everything at once without a pace, and a crash would find nothing to send. */
export const settings: SendSettings = {
	extra: { onError: 'continueRegularOutput' },
	// A request waits for its answer until all histories have come to where n8n is killed.
	options: { timeout: 600_000, batching: { batch: { batchSize: 5, batchInterval: 20 } } },
};

/** The same with a key for each item. */
export const keyed: SendSettings = { ...settings, own: { idempotencyKey: '={{ $json.order }}' } };

/**
 * Nothing twice, the rest sent, and little unknown.
 * @param most twice as many sends as go out at once, for each crash (docs/contract.md, section 4)
 */
export function expectRecovered({ twice, missing, unknown }: Counts, most = mostUnknown): void {
	expect({ twice, missing }).toEqual({ twice: 0, missing: 0 });
	expect(unknown).toBeLessThanOrEqual(most);
}

/** What a history with a crash is played with. */
export interface CrashPlay extends Play {
	n8n: N8n;
	/** Of this history alone. */
	recipients: string[];
}

/** A history that crashes cut into parts. */
export interface CrashRow extends Expected {
	/** 300 when left out. */
	items?: number;
	/** Recipients of each run of the node in the last execution; one run when left out. */
	runs?(recipients: string[]): string[][];
	/** Plays the history; n8n is killed at each `yield`, and the last execution is what it gives. */
	play(play: CrashPlay): AsyncGenerator<void, Execution, void>;
}

/** A history under way. */
interface Course {
	row: CrashRow;
	player: Player;
	recipients: string[];
	parts: AsyncGenerator<void, Execution, void>;
	end?: Execution;
	failure?: unknown;
}

/** An n8n of its own that is killed in the middle of what it does, and started again. */
export class CrashingN8n {
	private readonly courses: Course[] = [];

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

	/** Plays histories side by side, so that one crash serves all of them. */
	async play(rows: CrashRow[], signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
		const begun = rows.flatMap((row) => playersOf(row).map((player) => this.begin(row, player)));
		for (let running = begun; ; await this.crash(signal)) {
			await Promise.all(running.map(goOn));
			running = running.filter(({ end, failure }) => !end && failure === undefined);
			if (running.length === 0) return;
		}
	}

	/** What came of a history; throws what went wrong in it. */
	played(row: CrashRow, player: Player): Played {
		const course = this.courses.find((one) => one.row === row && one.player === player);
		if (!course?.end) throw course?.failure ?? new Error(`"${row.what}" was not played`);
		const { end, recipients } = course;
		const runs = row.runs?.(recipients) ?? [recipients];
		const known = new Set([...recipients, ...runs.flat()]);
		const arrivals = this.stage.service.arrivals.filter(({ recipient }) => known.has(recipient));
		return { execution: end, runs, arrivals, stage: this.stage };
	}

	private begin(row: CrashRow, player: Player): Course {
		const { stage, n8n } = this;
		const recipients = phones(row.items ?? 300, this.courses.length * 1_000);
		const send = senderOf(stage, player);
		const course = { row, player, recipients, parts: row.play({ stage, n8n, recipients, send }) };
		this.courses.push(course);
		return course;
	}

	private async crash(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
		const { service } = this.stage;
		if (signal === 'SIGKILL') service.release();
		await pause(moment);
		await this.n8n.kill(signal);
		service.endHolds();
		await this.n8n.restart();
	}
}

/** Plays a history up to its next crash or its end. */
async function goOn(course: Course): Promise<void> {
	try {
		const { done, value } = await course.parts.next();
		if (done === true) course.end = value;
	} catch (error) {
		course.failure = error ?? new Error('It failed');
	}
}

/** Presses Retry on an execution that has crashed, and waits for the end. */
export async function retryCrashed(
	{ n8n }: CrashPlay,
	executionId: string,
	isCurrent = false,
): Promise<Execution> {
	const { status } = await n8n.waitForExecution(executionId, longPatienceMs);
	if (status !== 'crashed') throw new Error(`The execution is not crashed but ${status}`);
	return await n8n.waitForExecution(
		await n8n.startRetry(executionId, { isCurrent }),
		longPatienceMs,
	);
}
