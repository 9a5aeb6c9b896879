import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Trouble } from './trouble.mjs';

/** Debian keeps PostgreSQL's programs out of PATH, one folder for each version. */
const postgresVersions = '/usr/lib/postgresql';

/** Finds PostgreSQL and Redis, and tells the tests where they are. No service of the system is touched. */
export function ensureServers() {
	const versions = existsSync(postgresVersions) ? readdirSync(postgresVersions) : [];
	const folders = [
		...versions.map((version) => path.join(postgresVersions, version, 'bin')),
		...(process.env.PATH ?? '').split(path.delimiter),
	];
	const holding = (...names) =>
		folders.find((folder) => names.every((name) => existsSync(path.join(folder, name))));
	const postgres = holding('postgres', 'initdb', 'pg_isready');
	const redis = holding('redis-server', 'redis-cli');
	if (!postgres || !redis) {
		throw new Trouble(
			'PostgreSQL or Redis is missing: install both (on Debian: apt-get install postgresql redis-server) and run the command again.',
		);
	}
	Object.assign(process.env, { POSTGRES_BIN: postgres, REDIS_BIN: redis });
}
