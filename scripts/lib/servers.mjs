import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './command.mjs';
import { Trouble } from './trouble.mjs';

/** Debian keeps PostgreSQL's programs out of PATH, one folder for each version. */
const POSTGRES_VERSIONS = '/usr/lib/postgresql';

/**
 * What keeps Debian's packages from starting services and making a database cluster, both only
 * while they are installed.
 */
const NO_SERVICES = [
	{ file: '/usr/sbin/policy-rc.d', text: '#!/bin/sh\nexit 101\n', mode: 0o755 },
	{
		file: '/etc/postgresql-common/createcluster.d/no-cluster.conf',
		text: 'create_main_cluster = false\n',
		mode: 0o644,
	},
];

/**
 * Finds PostgreSQL and Redis, installs what is missing from Debian's packages, and tells the tests
 * where they are. No service of the system is started or touched.
 */
export async function ensureServers() {
	if (!find() && canInstall()) await install();
	const found = find();
	if (!found) {
		throw new Trouble(
			'PostgreSQL or Redis is missing: install both (on Debian as root: apt-get install postgresql redis-server) and run the command again.',
		);
	}
	Object.assign(process.env, { POSTGRES_BIN: found.postgres, REDIS_BIN: found.redis });
}

/** The folders that hold the programs of both; undefined when one of them is missing. */
function find() {
	const versions = existsSync(POSTGRES_VERSIONS) ? readdirSync(POSTGRES_VERSIONS) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const debian = newestFirst.map((version) => path.join(POSTGRES_VERSIONS, version, 'bin'));
	const inPath = (process.env.PATH ?? '').split(path.delimiter);
	const folders = [...debian, ...inPath];
	const holding = (...names) =>
		folders.find((folder) => names.every((name) => existsSync(path.join(folder, name))));
	const postgres = holding('postgres', 'initdb', 'pg_isready');
	const redis = holding('redis-server', 'redis-cli');
	return postgres && redis && { postgres, redis };
}

const canInstall = () => process.getuid?.() === 0 && !spawnSync('apt-get', ['--version']).error;

async function install() {
	console.log('Installing PostgreSQL and Redis (once, about 1 minute)');
	const added = NO_SERVICES.filter(({ file }) => !existsSync(file));
	try {
		for (const { file, text, mode } of added) {
			mkdirSync(path.dirname(file), { recursive: true });
			writeFileSync(file, text, { mode });
		}
		await aptGet('update');
		await aptGet('install', '--yes', '--no-install-recommends', 'postgresql', 'redis-server');
	} finally {
		for (const { file } of added) rmSync(file, { force: true });
	}
}

async function aptGet(...args) {
	const command = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
	const failure = await quietly(`apt-get ${args[0]}`, 'env', command);
	if (failure) throw new Trouble(`PostgreSQL and Redis could not be installed: ${failure}.`);
}
