import type { Execution } from '../../harness';
import { expectRecovered, keyed, settings } from '../support/reliability/crashing';
import { sender, toldBy } from '../support/reliability/ledger';
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

/** A fault that the execution survives, after 100 of 300 have arrived. */
const survived = (what: string, strike: (executionId: string) => Promise<void>): Row => ({
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

// Moments of kills are drawn in test/unit/sending/histories.
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
	survived('kill -9 of the webhook process that took the call', async (id) => {
		await (await bed.webhookOf(id)).restart('SIGKILL');
	}),
	survived('kill -9 of the main process', async () => await bed.main.process.restart('SIGKILL')),
	survived('a restart of Redis', async () => await bed.redis.restart()),
	survived('a restart of PostgreSQL', async () => await bed.postgres.restart('SIGINT')),
];

playRows('workers', rows, () => stage);
