import { pause, type CredentialRef, type Execution } from '../../harness';
import { writeTable } from '../../harness/docs';
import type { N8nProcess } from '../../harness/process';
import { mostUnknown } from '../support/reliability/crashing';
import { startBed, type Bed } from '../support/scale/bed';
import { faultHead, fates, faultRow, type Fate } from '../support/scale/fate';
import { Gate } from '../support/scale/gate';
import {
	arrived,
	publishSending,
	recipients,
	sendTemplate,
	sendPath,
	waitForSends,
	type Sending,
} from '../support/scale/sends';

/** Longer than any fault here, and what n8n takes to notice a dead worker. */
const patienceMs = 240_000;

/** Sends that have arrived when the fault strikes. */
const underWay = 100;
const items = 300;

let bed: Bed;
let gate: Gate;
let credential: CredentialRef;
let sending: Sending;
const rows: string[] = [];

beforeAll(async () => {
	bed = await startBed();
	gate = await Gate.to(bed.sandbox.port);
	const baseUrl = bed.sandbox.baseUrl.replace(String(bed.sandbox.port), String(gate.port));
	const apiKey = bed.sandbox.keys.production;
	credential = await bed.main.createCredential('Faults', { baseUrl, apiKey });
	sending = await publishSending(bed, items, sendTemplate(credential));
});

beforeEach(async () => {
	const { control } = bed.sandbox;
	await control.reset();
	await control.resetStats();
	await control.setAccount({ chatBalance: 1_000_000 });
});

afterAll(async () => {
	const table = [...faultHead, ...rows].join('\n');
	console.log(table);
	writeTable('hard-faults', table);
	await gate?.lock();
	await bed?.close();
});

/** Every send takes so long that a fault finds some under way. */
const slowSends = async (latencyMs = 100) =>
	await bed.sandbox.control.addFault({
		kind: 'latency',
		path: sendPath,
		latencyMs,
		count: 'infinite',
	});

interface Outcome {
	all: Fate[];
	execution: Execution;
}

/** Runs a sending, lets the fault strike in the middle, and compares both sides at the end. */
async function strike(
	fault: string,
	act: (executionId: string) => Promise<void>,
): Promise<Outcome> {
	await slowSends();
	const executionId = await sending.start();
	await waitForSends(bed, underWay);
	await act(executionId);
	await bed.ready();
	return await compare(fault, items, executionId);
}

async function compare(fault: string, items: number, executionId: string): Promise<Outcome> {
	const execution = await bed.main.waitForExecution(executionId, patienceMs);
	const all = fates(recipients(items), await arrived(bed), execution);
	rows.push(faultRow(fault, all, execution));
	return { all, execution };
}

/** What is told is true, and nothing has arrived twice. */
function expectTruth(all: Fate[]): void {
	expect(all.filter((fate) => fate.arrived > 1)).toEqual([]);
	expect(all.filter((fate) => fate.told === 'sent' && fate.arrived !== 1)).toEqual([]);
	const failed = all.filter(({ told }) => told === 'rejected' || told === 'notSent');
	expect(failed.filter((fate) => fate.arrived > 0)).toEqual([]);
}

/** As if nothing had happened: everything has arrived once and is told. */
function expectAllSent({ all, execution }: Outcome): void {
	expect(execution.status).toBe('success');
	expect(all).toEqual(Array(all.length).fill({ arrived: 1, told: 'sent' }));
}

/** The process whose log has a line about an execution. */
function processThat(processes: N8nProcess[], line: string): N8nProcess {
	const found = processes.find((one) => one.log().includes(line));
	if (!found) throw new Error(`No process says "${line}"`);
	return found;
}

const workerOf = (executionId: string): N8nProcess =>
	processThat(bed.workers, `Worker started execution ${executionId} `);

const crash = async (victim: N8nProcess) => {
	await victim.kill('SIGKILL');
	await victim.start();
};

describe('kill -9 of the worker that sends', () => {
	/** Nothing arrives twice; n8n lets no other worker go on, and knows nothing of what was sent. */
	function expectLost({ all, execution }: Outcome, status: Execution['status']): void {
		expectTruth(all);
		expect(execution.status).toBe(status);
		expect(all.filter(({ arrived: times }) => times === 0).length).toBeGreaterThan(0);
		expect(all.every(({ told }) => told === 'nothing')).toBe(true);
	}

	test('that is restarted: the execution is marked as crashed, and a retry sends the rest', async () => {
		const fault = 'kill -9 of the worker that sends, restarted at once';
		const outcome = await strike(fault, async (id) => await crash(workerOf(id)));
		expectLost(outcome, 'crashed');

		const id = await bed.main.startRetry(outcome.execution.id);
		const retried = await compare('the same, then Retry of the crashed execution', items, id);
		expect(retried.execution.status).toBe('success');
		expectTruth(retried.all);
		const unknown = retried.all.filter(({ told }) => told === 'unknown');
		expect(unknown.length).toBeLessThanOrEqual(mostUnknown);
		const missing = retried.all.filter(({ arrived: times }) => times === 0);
		expect(missing.filter(({ told }) => told !== 'unknown')).toEqual([]);
	});

	test('that stays dead: the execution fails, and a retry sends nothing', async () => {
		let victim: N8nProcess | undefined;
		const fault = 'kill -9 of the worker that sends, not restarted';
		const outcome = await strike(fault, async (id) => {
			victim = workerOf(id);
			await victim.kill('SIGKILL');
			await bed.main.waitForExecution(id, patienceMs);
			await victim.start();
		});
		expectLost(outcome, 'error');

		const id = await bed.main.startRetry(outcome.execution.id);
		const retried = await compare('the same, then Retry of the failed execution', items, id);
		expect(retried.execution.status).toBe('error');
		expect(retried.all).toEqual(outcome.all);
	});
});

test('kill -9 of the webhook process that took the call', async () => {
	const outcome = await strike('kill -9 of the webhook process that took the call', async (id) => {
		await crash(processThat(bed.webhooks, `Enqueued execution ${id} `));
	});
	expectAllSent(outcome);
});

test('kill -9 of the main process', async () => {
	const outcome = await strike('kill -9 of the main process', async () => {
		await bed.main.kill('SIGKILL');
		await bed.main.restart();
	});
	expectAllSent(outcome);
});

test('a restart of Redis', async () => {
	const outcome = await strike('restart of Redis', async () => {
		await bed.redis.kill('SIGTERM');
		await bed.redis.start();
	});
	expectAllSent(outcome);
});

test('a restart of PostgreSQL', async () => {
	const outcome = await strike('restart of PostgreSQL', async () => {
		await bed.postgres.kill('SIGINT');
		await bed.postgres.start();
	});
	expectAllSent(outcome);
});

test('the service is gone for 30 seconds', async () => {
	const { all, execution } = await strike('service gone for 30 seconds', async () => {
		await gate.lock();
		await pause(30_000);
		await gate.unlock();
	});
	expect(execution.status).toBe('success');
	expectTruth(all);
	expect(all.filter(({ told }) => told === 'nothing')).toEqual([]);
	expect(all.filter(({ told }) => told === 'notSent').length).toBeGreaterThan(0);
	// Only what was in flight when the connections broke.
	expect(all.filter(({ told }) => told === 'unknown').length).toBeLessThanOrEqual(5);
});

test('a minute in which a tenth of the connections is cut', async () => {
	const items = 1_200;
	const many = await publishSending(bed, items, sendTemplate(credential));
	const cut = { kind: 'cut', path: sendPath, probability: 0.05, count: 'infinite' } as const;
	await bed.sandbox.control.addFault({ ...cut, when: 'before' });
	await bed.sandbox.control.addFault({ ...cut, when: 'after' });
	await slowSends(230);
	const { all, execution } = await compare(
		'a minute with every tenth connection cut',
		items,
		await many.start(),
	);
	expect(execution.status).toBe('success');
	expectTruth(all);
	const cuts = (await bed.sandbox.control.faults()).reduce(
		(sum, { fault, hits }) => (fault.kind === 'cut' ? sum + hits : sum),
		0,
	);
	expect(cuts).toBeGreaterThan(0);
	expect(all.filter(({ told }) => told === 'unknown')).toHaveLength(cuts);
	expect(all.filter(({ told }) => told === 'sent')).toHaveLength(items - cuts);
});
