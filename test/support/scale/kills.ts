import fc from 'fast-check';
import { pause, startN8n, waitFor, type Execution, type N8n } from '../../../harness';
import { patienceMs } from '../reliability/crashing';
import { countFates, fates, untrue, type Counts, type Fate } from '../reliability/ledger';
import { phones, recipientsNode, sender, Stage } from '../reliability/stage';
import { startBed } from './bed';

/** Which processes are killed at once. */
export type Victim = 'all' | 'main' | 'sender';

/** One `kill -9`. */
export interface Kill {
	victim: Victim;
	/** Of what the try has to send, how much has arrived when it strikes, in percent. */
	percent: number;
	/** Milliseconds later. */
	later: number;
	/** Whether the first execution is retried then, not the one that was killed. */
	isFirstRetried: boolean;
	/** Whether the retry is made with the workflow as it is saved. */
	isCurrent: boolean;
}

/** A sending that is killed and retried. */
export interface KilledHistory {
	kills: Kill[];
	isKeyed: boolean;
	batchSize: number;
	/** Milliseconds that the service takes for a request. */
	delayMs: number;
}

/** Draws histories in which some of these are killed. */
export const killedHistory = (...victims: Victim[]): fc.Arbitrary<KilledHistory> =>
	fc.record({
		kills: fc.array(
			fc.record({
				victim: fc.constantFrom(...victims),
				percent: fc.nat({ max: 90 }),
				later: fc.nat({ max: 60 }),
				isFirstRetried: fc.boolean(),
				isCurrent: fc.boolean(),
			}),
			{ minLength: 1, maxLength: 2 },
		),
		isKeyed: fc.boolean(),
		batchSize: fc.integer({ min: 1, max: 25 }),
		delayMs: fc.integer({ min: 20, max: 60 }),
	});

/** An n8n whose processes can be killed. */
export interface KillableHost {
	main: N8n;
	stage: Stage;
	/** Kills what an execution depends on, and starts it again. */
	kill(victim: Victim, executionId: string): Promise<void>;
	close(): Promise<void>;
}

/** n8n as one process. */
export async function startOneProcess(): Promise<KillableHost> {
	const main = await startN8n();
	const stage = await Stage.open(main);
	return {
		main,
		stage,
		kill: async () => {
			await main.kill('SIGKILL');
			await main.restart();
		},
		close: async () => {
			await stage.close();
			await main.stop();
		},
	};
}

/** n8n in queue mode, with two workers. */
export async function startQueueMode(): Promise<KillableHost> {
	const bed = await startBed();
	const { main, workers } = bed;
	const stage = await Stage.open(main, bed.front.url);
	const workerOf = async (executionId: string) =>
		await waitFor(`a worker to start execution ${executionId}`, () =>
			workers.find((one) => one.log().includes(`Worker started execution ${executionId} `)),
		);
	return {
		main,
		stage,
		kill: async (victim, executionId) => {
			const worker = await workerOf(executionId);
			const isMain = victim !== 'sender';
			const isWorker = victim !== 'main';
			await Promise.all([isMain && main.kill('SIGKILL'), isWorker && worker.kill('SIGKILL')]);
			await Promise.all([isMain && main.restart(), isWorker && worker.start()]);
			await bed.ready();
		},
		close: async () => {
			await stage.close();
			await bed.close();
		},
	};
}

/** What came of a history. */
export interface KilledOutcome {
	execution: Execution;
	counts: Counts;
	/** Items of which something untrue is told. */
	untrue: Fate[];
	/** Executions that were ended by a kill. */
	crashes: number;
}

const items = 300;

/** Plays a history to its end, with a Retry after each kill that ended an execution. */
export async function playKilled(
	{ main, stage, kill }: KillableHost,
	{ kills, isKeyed, batchSize, delayMs }: KilledHistory,
): Promise<KilledOutcome> {
	const { service } = stage;
	service.reset();
	service.delayMs = delayMs;
	const recipients = phones(items);
	const send = stage.ours({
		extra: { onError: 'continueRegularOutput' },
		options: { batching: { batch: { batchSize } } },
		own: isKeyed ? { idempotencyKey: '={{ $json.order }}' } : {},
	});
	const { start } = await stage.production([recipientsNode(recipients), send]);
	const first = await start();
	let executionId = first;
	let crashes = 0;
	for (const { victim, percent, later, isFirstRetried, isCurrent } of kills) {
		const before = service.arrivals.length;
		const enough = before + Math.floor(((items - before) * percent) / 100);
		await waitFor(`${enough} arrivals`, async () => {
			if (service.arrivals.length >= enough) return true;
			return (await main.execution(executionId)).isOver ? true : undefined;
		});
		await pause(later);
		await kill(victim, executionId);
		if (victim === 'main') continue;
		const { status } = await main.waitForExecution(executionId, patienceMs);
		if (status !== 'crashed') break;
		crashes++;
		const retried = isFirstRetried ? first : executionId;
		executionId = await main.startRetry(retried, { isCurrent });
	}
	const execution = await main.waitForExecution(executionId, patienceMs);
	const all = fates(service.arrivals, execution, sender, [recipients]);
	return { execution, counts: countFates(all, service.arrivals), untrue: untrue(all), crashes };
}
