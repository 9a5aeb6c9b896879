import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { prepareN8n, startN8n, startProcess, type N8n } from '../../../harness/n8n';
import { freePort, loopback } from '../../../harness/ports';
import type { N8nProcess } from '../../../harness/process';
import type { Supervised } from '../../../harness/supervised';
import { waitFor } from '../../../harness/waiting';
import { startPostgres, startRedis } from './servers';

/** n8n in queue mode with everything it needs. */
export interface Bed {
	/** The main process; it serves the editor and no production webhooks. */
	main: N8n;
	/** What is registered has the address of the first one. */
	webhooks: [N8nProcess, N8nProcess];
	postgres: Supervised;
	/** How n8n's Postgres node reaches it. */
	postgresCredential: IDataObject;
	redis: Supervised;
	/** The worker that has started an execution. */
	workerOf(executionId: string): Promise<N8nProcess>;
	/** The webhook process that took the call of an execution. */
	webhookOf(executionId: string): Promise<N8nProcess>;
	/** Waits until all n8n processes serve. */
	ready(): Promise<void>;
	/** Ends everything. */
	close(): Promise<void>;
}

/** What all processes of one n8n must agree on, and settings of queue mode. */
const settings = {
	EXECUTIONS_MODE: 'queue',
	N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	// Only executions with expressions get a sandbox for them, whose making takes 50 ms.
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	// A worker that stays dead is noticed after 65 s instead of 90.
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/**
 * Starts PostgreSQL, Redis, an n8n main process, two workers and two webhook processes, each with
 * a user folder of its own that holds the package.
 * @throws with the log of what does not start; what has started ends, with this process at the latest
 */
export async function startBed(): Promise<Bed> {
	const closing: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closing.reverse()) await end();
	};
	try {
		const postgres = await startPostgres();
		closing.push(async () => await postgres.process.end());
		const redis = await startRedis();
		closing.push(async () => await redis.process.end());
		const port = await freePort();
		const env = {
			...settings,
			...postgres.env,
			...redis.env,
			N8N_ENCRYPTION_KEY: randomUUID(),
			WEBHOOK_URL: `http://${loopback}:${port}/`,
		};
		const main = await startN8n({ env });
		closing.push(async () => await main.stop());
		const start = async (role: 'webhook' | 'worker', own?: number) => {
			const started = await prepareN8n(role, { env, port: own });
			closing.push(async () => await started.end());
			return await startProcess(started, async () => await Promise.resolve(started));
		};
		const [webhookA, webhookB, workerA, workerB] = await Promise.all([
			start('webhook', port),
			start('webhook'),
			start('worker'),
			start('worker'),
		]);
		const all = [main, webhookA, webhookB, workerA, workerB];
		return {
			main,
			webhooks: [webhookA, webhookB],
			workerOf: async (id) => await logging([workerA, workerB], `Worker started execution ${id} `),
			webhookOf: async (id) => await logging([webhookA, webhookB], `Enqueued execution ${id} `),
			ready: async () => void (await Promise.all(all.map(async (one) => await one.ready()))),
			postgres: postgres.process,
			postgresCredential: {
				host: postgres.env.DB_POSTGRESDB_HOST,
				port: Number(postgres.env.DB_POSTGRESDB_PORT),
				user: postgres.env.DB_POSTGRESDB_USER,
				database: postgres.env.DB_POSTGRESDB_DATABASE,
				password: 'not needed',
				ssl: 'disable',
			},
			redis: redis.process,
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** Waits until the log of one of the processes has a line, and gives it. */
const logging = async (processes: N8nProcess[], line: string): Promise<N8nProcess> =>
	await waitFor(`a process to say "${line}"`, () =>
		processes.find((one) => one.log().includes(line)),
	);
