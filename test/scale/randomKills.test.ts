import fc from 'fast-check';
import { pause, startN8n, waitFor, type N8n } from '../../harness';
import { expectRecovered, keyed, patienceMs, settings } from '../support/reliability/crashing';
import { countFates, fates, untrue } from '../support/reliability/ledger';
import { phones, recipientsNode, sender, Stage } from '../support/reliability/stage';
import { startBed } from '../support/scale/bed';

/** How many histories are drawn for each n8n, and from which seed: that of a failing one runs them again. */
const numRuns = Number(process.env.KILLS ?? 6);
const seed = Number(process.env.KILLS_SEED ?? Date.now() % 1_000_000);

/** Which processes are killed at once. */
type Victim = 'all' | 'main' | 'sender';

/** An n8n whose processes can be killed. */
interface Host {
	main: N8n;
	stage: Stage;
	/** Kills what an execution depends on, and starts it again. */
	kill(victim: Victim, executionId: string): Promise<void>;
	close(): Promise<void>;
}

async function startOneProcess(): Promise<Host> {
	const main = await startN8n();
	const kill = async () => {
		await main.kill('SIGKILL');
		await main.restart();
	};
	return { main, stage: await Stage.open(main), kill, close: async () => await main.stop() };
}

/** n8n in queue mode, with two workers. */
async function startQueueMode(): Promise<Host> {
	const bed = await startBed();
	const { main } = bed;
	const kill = async (victim: Victim, executionId: string) => {
		const worker = await bed.workerOf(executionId);
		const isMain = victim !== 'sender';
		const isWorker = victim !== 'main';
		await Promise.all([isMain && main.kill('SIGKILL'), isWorker && worker.kill('SIGKILL')]);
		await Promise.all([isMain && main.restart(), isWorker && worker.start()]);
		await bed.ready();
	};
	return { main, stage: await Stage.open(main, bed.webhooks[0].url), kill, close: bed.close };
}

const drawn = (...victims: Victim[]) =>
	fc.record({
		kills: fc.array(
			fc.record({
				victim: fc.constantFrom(...victims),
				/** Of what the try has to send, how much has arrived when it strikes. */
				percent: fc.nat({ max: 90 }),
				/** Milliseconds after that. */
				later: fc.nat({ max: 60 }),
				/** Whether the first execution is retried then, not the one that was killed. */
				isFirstRetried: fc.boolean(),
				/** Whether the retry is made with the workflow as it is saved. */
				isCurrent: fc.boolean(),
			}),
			{ minLength: 1, maxLength: 2 },
		),
		isKeyed: fc.boolean(),
		batchSize: fc.integer({ min: 1, max: 25 }),
		/** Milliseconds that the service takes for a request. */
		delayMs: fc.integer({ min: 20, max: 60 }),
	});

describe.each([
	{ name: 'one process', start: startOneProcess, histories: drawn('all') },
	{
		name: 'queue mode',
		start: startQueueMode,
		histories: drawn('sender', 'sender', 'main', 'all'),
	},
])(`n8n as $name, killed at moments drawn with KILLS_SEED=${seed}`, ({ start, histories }) => {
	let host: Host;
	beforeAll(async () => (host = await start()));
	afterAll(async () => {
		await host?.stage.close();
		await host?.close();
	});

	const all = fc.sample(histories, { seed, numRuns });
	test.each(all.map((history) => [JSON.stringify(history), history] as const))(
		'%s',
		async (_text, { kills, isKeyed, batchSize, delayMs }) => {
			const { main, stage } = host;
			const { service } = stage;
			const recipients = phones(300);
			service.reset();
			service.delayMs = delayMs;
			const options = { ...settings.options, batching: { batch: { batchSize } } };
			const send = stage.ours({ ...(isKeyed ? keyed : settings), options });
			const sending = await stage.production([recipientsNode(recipients), send]);
			const first = await sending.start();
			let executionId = first;
			let crashes = 0;
			for (const { victim, percent, later, isFirstRetried, isCurrent } of kills) {
				const before = service.arrivals.length;
				const enough = before + Math.floor(((recipients.length - before) * percent) / 100);
				await waitFor(`${enough} arrivals`, async () => {
					if (service.arrivals.length >= enough) return true;
					return (await main.execution(executionId)).isOver || undefined;
				});
				await pause(later);
				await host.kill(victim, executionId);
				if (victim === 'main') continue;
				const { status } = await main.waitForExecution(executionId, patienceMs);
				if (status !== 'crashed') break;
				crashes++;
				executionId = await main.startRetry(isFirstRetried ? first : executionId, { isCurrent });
			}
			const execution = await main.waitForExecution(executionId, patienceMs);
			const told = fates(service.arrivals, execution, sender, [recipients]);
			expect(execution.status).toBe('success');
			expectRecovered(countFates(told, service.arrivals), crashes);
			expect(untrue(told)).toEqual([]);
		},
	);
});
