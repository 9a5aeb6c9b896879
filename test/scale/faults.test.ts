import fc from 'fast-check';
import { pause, waitFor, type Execution } from '../../harness';
import { expectRecovered, keyed, settings } from '../support/reliability/crashing';
import { countFates, fates, sender, toldBy, untrue } from '../support/reliability/ledger';
import { playRows, type Play, type Row } from '../support/reliability/rows';
import { phones, recipientsNode, Stage } from '../support/reliability/stage';
import { startBed, type Bed } from '../support/scale/bed';

const recipients = phones(300);

let bed: Bed;
let stage: Stage;

beforeAll(async () => {
	bed = await startBed();
	stage = await Stage.open(bed.main, bed.webhooks[0].url);
});

afterAll(async () => {
	await stage?.close();
	await bed?.close();
});

const finished = async (id: string): Promise<Execution> => await bed.main.waitForExecution(id);

async function retry(executionId: string, status = 'success'): Promise<Execution> {
	const execution = await finished(await bed.main.startRetry(executionId));
	expect(execution.status).toBe(status);
	return execution;
}

/** Starts a sending; returns its execution when 100 of 300 have arrived. */
async function startSending({ send }: Pick<Play, 'send'>, own = settings) {
	const { start } = await stage.production([recipientsNode(recipients), send(own)]);
	await stage.slow(40);
	const executionId = await start();
	await stage.waitForArrivals(100);
	return { executionId, start };
}

/** Kills the worker of an execution and starts it again, at once or when n8n has given up. */
async function crash(executionId: string, isGone = false): Promise<void> {
	const worker = await bed.workerOf(executionId);
	await worker.kill('SIGKILL');
	await stage.sandbox.control.clearFaults();
	if (isGone) {
		bed.expireLocks();
		await finished(executionId);
	}
	await worker.start();
	await bed.ready();
	expect((await finished(executionId)).status).toBe(isGone ? 'error' : 'crashed');
}

async function crashWhileSending(play: Pick<Play, 'send'>, own = settings, isGone = false) {
	const sending = await startSending(play, own);
	await crash(sending.executionId, isGone);
	return sending;
}

const runs = [recipients];
const alone = { runs, hasPeer: false };

/** A fault that the execution lives through, struck when 100 of 300 have arrived. */
const livedThrough = (what: string, strike: (executionId: string) => Promise<void>): Row => ({
	...alone,
	what,
	play: async (play) => {
		const { executionId } = await startSending(play);
		await strike(executionId);
		await bed.ready();
		return await finished(executionId);
	},
	expected: { arrived: 300 },
	check: ({ execution, all }) => {
		expect(execution.status).toBe('success');
		expect(all.filter(({ told }) => told === 'nothing')).toEqual([]);
	},
});

const rows: Row[] = [
	{
		what: 'kill -9 of the worker after 100 of 300, restarted at once, then Retry',
		runs,
		play: async (play) => await retry((await crashWhileSending(play)).executionId),
		expected: expectRecovered,
	},
	{
		what: 'kill -9 of the worker after 100 of 300, restarted at once, then two Retries; each message contains the time',
		...alone,
		play: async (play) => {
			const own = { ...settings, varying: '$now.toMillis()' };
			const { executionId } = await crashWhileSending(play, own);
			await retry(executionId);
			return await retry(executionId);
		},
		// Every recipient who was reached may have got the same in other words.
		expected: { unknown: 300 },
	},
	{
		what: 'kill -9 of the worker in a later node, restarted at once, then Retry',
		...alone,
		play: async ({ send }) => {
			const nodes = [recipientsNode(recipients), send(settings), stage.other('/later')];
			const { start } = await stage.production(nodes);
			const reached = await stage.hold({ path: '/later' });
			const executionId = await start();
			await reached();
			await crash(executionId);
			return await retry(executionId);
		},
		expected: { arrived: 300 },
	},
	{
		what: 'kill -9 of the worker after 100 of 300, not restarted, then a Retry, which sends nothing, and a new execution (with keys)',
		...alone,
		play: async (play) => {
			const { executionId, start } = await crashWhileSending(play, keyed, true);
			const requests = async () => (await stage.sandbox.control.stats()).requests;
			const before = await requests();
			await retry(executionId, 'error');
			expect(await requests()).toBe(before);
			return await finished(await start());
		},
		expected: expectRecovered,
	},
	{
		what: 'the same 2,000 keys in two workers at the same moment',
		runs: [phones(2_000)],
		hasPeer: false,
		play: async ({ send }) => {
			const nodes = [recipientsNode(phones(2_000)), send({ ...keyed, options: {} })];
			const { id, start } = await stage.production(nodes);
			await stage.slow(20);
			await Promise.all([start(), start()]);
			const executions = await bed.main.waitForExecutions(id, 2);
			const workers = await Promise.all(executions.map(async (one) => await bed.workerOf(one.id)));
			expect(new Set(workers).size).toBe(2);
			// Everything that arrived is reported as sent, in one of the two.
			const told = executions.flatMap((execution) => execution.json(sender).map(toldBy));
			const sent = told.filter((one) => one === 'sent');
			expect(sent).toHaveLength((await stage.arrivals()).length);
			return executions[1] as Execution;
		},
		// n8n's store loses entries when two processes write at once; how many depends on the machine.
		expected: ({ arrived, twice }) => {
			expect(arrived - twice).toBe(2_000);
		},
	},
	livedThrough('kill -9 of the webhook process that took the call', async (id) => {
		await (await bed.webhookOf(id)).restart('SIGKILL');
	}),
	livedThrough(
		'kill -9 of the main process',
		async () => await bed.main.process.restart('SIGKILL'),
	),
	livedThrough('a restart of Redis', async () => await bed.redis.restart()),
	livedThrough('a restart of PostgreSQL', async () => await bed.postgres.restart('SIGINT')),
];

playRows('workers', rows, () => stage);

/** How many histories are drawn, and from which seed: that of a failing one runs them again. */
const numRuns = Number(process.env.KILLS ?? 6);
const seed = Number(process.env.KILLS_SEED ?? Date.now() % 1_000_000);

const kill = fc.record({
	/** Which processes are killed at once. */
	victims: fc.constantFrom('sender', 'sender', 'main', 'main and sender'),
	/** Of what the try has to send, how much has arrived when it strikes. */
	percent: fc.nat({ max: 90 }),
	/** Milliseconds after that. */
	later: fc.nat({ max: 60 }),
	/** Whether the first execution is retried then, not the one that was killed. */
	isFirstRetried: fc.boolean(),
	/** Whether the retry is made with the workflow as it is saved. */
	isCurrent: fc.boolean(),
});

const history = fc.record({
	kills: fc.array(kill, { minLength: 1, maxLength: 2 }),
	isKeyed: fc.boolean(),
	batchSize: fc.integer({ min: 1, max: 25 }),
	/** Milliseconds that the service takes for a request. */
	delayMs: fc.integer({ min: 20, max: 60 }),
});

const drawn = fc.sample(history, { seed, numRuns });
test.each(drawn.map((one) => [JSON.stringify(one), one] as const))(
	`killed at moments drawn with KILLS_SEED=${seed}: %s`,
	async (_text, { kills, isKeyed, batchSize, delayMs }) => {
		const { main } = bed;
		await stage.sandbox.control.reset();
		await stage.slow(delayMs);
		const options = { ...settings.options, batching: { batch: { batchSize } } };
		const send = stage.ours({ ...(isKeyed ? keyed : settings), options });
		const sending = await stage.production([recipientsNode(recipients), send]);
		const first = await sending.start();
		let executionId = first;
		let crashes = 0;
		for (const { victims, percent, later, isFirstRetried, isCurrent } of kills) {
			const before = (await stage.arrivals()).length;
			const enough = before + Math.floor(((recipients.length - before) * percent) / 100);
			await waitFor(`${enough} arrivals`, async () => {
				if ((await stage.arrivals()).length >= enough) return true;
				return (await main.execution(executionId)).isOver;
			});
			const worker = await bed.workerOf(executionId);
			await pause(later);
			const isSender = victims !== 'main';
			await Promise.all([
				victims !== 'sender' && main.process.restart('SIGKILL'),
				isSender && worker.restart('SIGKILL'),
			]);
			await bed.ready();
			if (!isSender) continue;
			if ((await finished(executionId)).status !== 'crashed') break;
			crashes++;
			executionId = await main.startRetry(isFirstRetried ? first : executionId, isCurrent);
		}
		const execution = await finished(executionId);
		const arrivals = await stage.arrivals();
		const told = fates(arrivals, execution, runs);
		expect(execution.status).toBe('success');
		expectRecovered(countFates(told, arrivals), crashes * 2 * batchSize);
		expect(untrue(told)).toEqual([]);
	},
);
