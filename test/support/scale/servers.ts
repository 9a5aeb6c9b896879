import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort, loopback } from '../../../harness/ports';
import { Supervised } from '../../../harness/supervised';

/** A database or queue server of the test bed. */
export interface Server {
	process: Supervised;
	/** Environment of the n8n processes that use it. */
	env: Record<string, string>;
}

/** `ensureServers` has put their programs into PATH. */
const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };

/** PostgreSQL with an empty database, on a free port of this machine. */
export async function startPostgres(): Promise<Server> {
	const folder = freshFolder('postgres');
	// PostgreSQL refuses to run as root, so root runs it as nobody.
	const [isRoot, nobody] = [process.getuid?.() === 0, 65_534];
	if (isRoot) chownSync(folder, nobody, nobody);
	const asUser = isRoot
		? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
		: [];
	const [password, user] = [randomUUID(), 'n8n'];
	writeFileSync(path.join(folder, 'password'), password);
	const options = ['--auth=scram-sha-256', '--pwfile=password', '--encoding=UTF8', '--no-sync'];
	const initdb = [...asUser, 'initdb', '-D', 'data', '-U', user, ...options];
	execFileSync(initdb[0] ?? '', initdb.slice(1), { cwd: folder, env });
	const port = String(await freePort());
	// Fast rather than proof against power cuts; a restart of the server loses nothing.
	const settings = [`listen_addresses=${loopback}`, 'unix_socket_directories=', 'fsync=off'];
	const flags = settings.flatMap((setting) => ['-c', setting]);
	return await serve('postgres', {
		command: [...asUser, 'postgres', '-D', 'data', '-p', port, ...flags],
		folder,
		probe: ['pg_isready', '-h', loopback, '-p', port],
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: loopback,
			DB_POSTGRESDB_PORT: port,
			DB_POSTGRESDB_USER: user,
			DB_POSTGRESDB_PASSWORD: password,
			DB_POSTGRESDB_DATABASE: 'postgres',
		},
	});
}

/** Redis with its default settings, on a free port of this machine; `remove` removes all keys of a pattern. */
export async function startRedis(): Promise<Server & { remove(pattern: string): void }> {
	const port = String(await freePort());
	const client = ['redis-cli', '-h', loopback, '-p', port, '-e'];
	const server = await serve('redis', {
		command: ['redis-server', '--port', port, '--bind', loopback],
		folder: freshFolder('redis'),
		probe: [...client, 'ping'],
		env: { QUEUE_BULL_REDIS_HOST: loopback, QUEUE_BULL_REDIS_PORT: port },
	});
	const [program = '', ...args] = client;
	const script = "return redis.call('DEL', unpack(redis.call('KEYS', ARGV[1])))";
	const remove = (pattern: string) =>
		void execFileSync(program, [...args, 'EVAL', script, '0', pattern], { env, timeout: 10_000 });
	return { ...server, remove };
}

/** @param server.probe exits with 0 once the server serves */
async function serve(
	name: string,
	server: { command: string[]; folder: string; probe: string[]; env: Server['env'] },
): Promise<Server> {
	const [program = '', ...args] = server.probe;
	const isReady = () => spawnSync(program, args, { env, timeout: 10_000 }).status === 0;
	const serving = new Supervised({ ...server, name, env, isReady });
	await serving.start();
	return { process: serving, env: server.env };
}

/** Where nobody may enter it, too. */
const freshFolder = (name: string): string => mkdtempSync(`/tmp/n8n-${name}-`);
