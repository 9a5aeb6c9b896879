import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../../harness/paths';
import { freePort, loopback } from '../../../harness/ports';
import { startProcess } from '../../../harness/n8n';
import { Supervised } from '../../../harness/supervised';

/** A database or queue server of the test bed, with what n8n must know of it. */
export interface Server {
	process: Supervised;
	/** Environment of the n8n processes that use it. */
	env: Record<string, string>;
}

/** Of all programs of the servers. */
const environment = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };

/** PostgreSQL with an empty database in a folder of its own, on a free port of this machine. */
export async function startPostgres(): Promise<Server> {
	const bin = programs('POSTGRES_BIN');
	const { folder, asUser } = homeOfPostgres();
	const data = path.join(folder, 'data');
	const user = 'n8n';
	const password = randomUUID();
	const passwordFile = path.join(folder, 'password');
	writeFileSync(passwordFile, password, { mode: 0o600 });
	const initdb = [path.join(bin, 'initdb'), '-D', data, '-U', user];
	const auth = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
	run([...asUser, ...initdb, ...auth, '--encoding=UTF8', '--no-locale', '--no-sync'], folder);
	const port = String(await freePort());
	// Fast rather than proof against power cuts; a restart of the server loses nothing.
	const settings = [`listen_addresses=${loopback}`, 'unix_socket_directories=', 'fsync=off'];
	return await serve({
		name: 'postgres',
		command: [
			...asUser,
			...[path.join(bin, 'postgres'), '-D', data, '-p', port],
			...settings.flatMap((setting) => ['-c', setting]),
		],
		folder,
		probe: [path.join(bin, 'pg_isready'), '-h', loopback, '-p', port],
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

/** Redis with its default settings in a folder of its own, on a free port of this machine. */
export async function startRedis(): Promise<Server> {
	const bin = programs('REDIS_BIN');
	const port = String(await freePort());
	const folder = freshFolder('redis-');
	return await serve({
		name: 'redis',
		command: [path.join(bin, 'redis-server'), '--port', port, '--bind', loopback],
		folder,
		probe: [path.join(bin, 'redis-cli'), '-h', loopback, '-p', port, '-e', 'ping'],
		env: { QUEUE_BULL_REDIS_HOST: loopback, QUEUE_BULL_REDIS_PORT: port },
	});
}

async function serve(server: {
	name: string;
	command: string[];
	folder: string;
	/** Exits with 0 once the server serves. */
	probe: [string, ...string[]];
	env: Record<string, string>;
}): Promise<Server> {
	const [probe, ...args] = server.probe;
	const serving = new Supervised({
		...server,
		isThrowAway: true,
		env: environment,
		isReady: () => spawnSync(probe, args, { env: environment }).status === 0,
	});
	return await startProcess(serving, () => ({ process: serving, env: server.env }));
}

/**
 * PostgreSQL refuses to run as root. Root therefore runs it as nobody, who may enter the clone
 * wherever it lies.
 */
function homeOfPostgres(): { folder: string; asUser: string[] } {
	const folder = freshFolder('postgres-');
	if (process.getuid?.() !== 0) return { folder, asUser: [] };
	const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) => Number(run(['id', flag, 'nobody'])));
	chownSync(folder, uid, gid);
	const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
	const rights = [
		'--securebits=+no_setuid_fixup',
		'--inh-caps=+dac_override',
		'--ambient-caps=+dac_override',
	];
	return { folder, asUser: ['setpriv', ...user, ...rights] };
}

function freshFolder(prefix: string): string {
	mkdirSync(cacheFolder, { recursive: true });
	return mkdtempSync(path.join(cacheFolder, prefix));
}

function run([command = '', ...args]: string[], cwd?: string): string {
	return execFileSync(command, args, { cwd, env: environment, encoding: 'utf8' });
}

function programs(variable: 'POSTGRES_BIN' | 'REDIS_BIN'): string {
	const folder = process.env[variable];
	if (folder !== undefined) return folder;
	throw new Error(`${variable} is not set: run "npm run test:scale", which prepares the servers`);
}
