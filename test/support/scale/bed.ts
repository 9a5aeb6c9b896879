import { randomUUID } from 'node:crypto';
import { startSandbox } from '../../../sandbox';
import { startN8n, prepareN8n, type N8nProcess } from '../../../harness/n8n';
import { freePort, loopback } from '../../../harness/ports';
import { waitFor } from '../../../harness/waiting';
import { startPostgres, startRedis } from './servers';

/** n8n in queue mode with everything it needs, and the sandbox of the service. */
export type Bed = Awaited<ReturnType<typeof startBed>>;

/** What all processes of one n8n must agree on, and settings of queue mode. */
const settings = {
	EXECUTIONS_MODE: 'queue',
	N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	// Only executions with expressions get a sandbox for them, which takes 50 ms to make.
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	// A minute after a kill, n8n would empty the execution, even if the worker is back: a retry on a slow
	// machine would send nothing. `expireLocks` ends the wait.
	QUEUE_WORKER_LOCK_DURATION: '3600000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/**
 * Starts PostgreSQL, Redis, an n8n main process, two workers and two webhook processes, each with
 * a user folder of its own that holds the package, and a sandbox whose life cycles stand still.
 * @throws with the log of what does not start; what has started ends with this process
 */
export async function startBed() {
	const sandbox = await startSandbox({ lifecycle: { enabled: false } });
	await sandbox.control.setAccount({ chatBalance: 10_000_000 });
	const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
	const port = await freePort();
	const env = {
		...settings,
		...postgres.env,
		...redis.env,
		N8N_ENCRYPTION_KEY: randomUUID(),
		// The first webhook process, so that no load balancer is needed.
		WEBHOOK_URL: `http://${loopback}:${port}/`,
	};
	const main = await startN8n({ env });
	const start = async (role: 'webhook' | 'worker', own?: number) => {
		const started = await prepareN8n(role, { env, port: own });
		await started.start();
		return started;
	};
	const webhooks = await Promise.all([start('webhook', port), start('webhook')]);
	const workers = await Promise.all([start('worker'), start('worker')]);
	const others = [...webhooks, ...workers];
	return {
		/** The main process; it serves the editor and no production webhooks. */
		main,
		/** Where the service delivers, and another process that serves the same. */
		webhooks,
		/** The worker that has started an execution. */
		workerOf: async (id: string) => await logging(workers, `Worker started execution ${id} `),
		/** The webhook process that took the call of an execution. */
		webhookOf: async (id: string) => await logging(webhooks, `Enqueued execution ${id} `),
		/** Waits until all n8n processes serve. */
		ready: async () =>
			void (await Promise.all([main.process, ...others].map(async (one) => await one.ready()))),
		postgres: postgres.process,
		redis: redis.process,
		/** Ends the time for which n8n waits for dead workers. */
		expireLocks: () => redis.remove('bull:*:lock'),
		sandbox,
		/** Ends everything. */
		close: async () => {
			await Promise.all([main.process, ...others].map(async (one) => await one.end()));
			await Promise.all([redis, postgres].map(async (server) => await server.process.end()));
			await sandbox.close();
		},
	};
}

/** Waits until the log of one of the processes has a line, and returns it. */
const logging = async (processes: N8nProcess[], line: string): Promise<N8nProcess> =>
	await waitFor(`a process to say "${line}"`, () =>
		processes.find((one) => one.log().includes(line)),
	);
