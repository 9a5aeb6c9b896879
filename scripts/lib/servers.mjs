import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './command.mjs';
import { cacheFolder } from './paths.mjs';
import { Trouble } from './trouble.mjs';

/** Debian keeps PostgreSQL's programs out of PATH, one folder for each version. */
const postgresVersions = 'usr/lib/postgresql';

const packages = ['postgresql', 'redis-server'];

/** Where Debian's packages are unpacked: programs of a package that is not installed. */
const unpacked = path.join(cacheFolder, 'servers');

/** apt-get's own files; in the clone it needs no rights, and the system's stay as they are. */
const apt = path.join(cacheFolder, 'apt');

/**
 * Finds PostgreSQL and Redis, unpacks what is missing from Debian's packages, and tells the tests
 * where they are. Nothing is installed, and no service of the system is started or touched.
 */
export async function ensureServers() {
	if (!find() && !spawnSync('apt-get', ['--version']).error) await unpack();
	const found = find();
	if (!found) {
		throw new Trouble(
			'PostgreSQL or Redis is missing: install both (on Debian: apt-get install postgresql redis-server) and run the command again.',
		);
	}
	Object.assign(process.env, {
		POSTGRES_BIN: found.postgres,
		REDIS_BIN: found.redis,
		SERVER_LIBRARIES: namesIn(path.join(unpacked, 'usr/lib'))
			.filter((name) => name.includes('-linux-'))
			.map((name) => path.join(unpacked, 'usr/lib', name))
			.join(path.delimiter),
	});
}

/** The folders that hold the programs of both; undefined when one of them is missing. */
function find() {
	const debian = ['/', unpacked].flatMap((root) => {
		const versions = path.join(root, postgresVersions);
		const newestFirst = namesIn(versions).sort((a, b) => Number(b) - Number(a));
		return newestFirst.map((version) => path.join(versions, version, 'bin'));
	});
	const inPath = (process.env.PATH ?? '').split(path.delimiter);
	const folders = [...debian, ...inPath, path.join(unpacked, 'usr/bin')];
	const holding = (...names) =>
		folders.find((folder) => names.every((name) => existsSync(path.join(folder, name))));
	const postgres = holding('postgres', 'initdb', 'pg_isready');
	const redis = holding('redis-server', 'redis-cli');
	return postgres && redis && { postgres, redis };
}

async function unpack() {
	console.log(
		'Unpacking PostgreSQL and Redis, with the libraries they need, from the packages of this Debian into .cache/servers (once, about 1 minute)',
	);
	const archives = path.join(apt, 'archives');
	for (const folder of [path.join(apt, 'lists'), archives]) {
		mkdirSync(path.join(folder, 'partial'), { recursive: true });
	}
	await aptGet('update');
	await aptGet('install', '--yes', '--no-install-recommends', '--download-only', ...packages);
	mkdirSync(unpacked, { recursive: true });
	for (const name of namesIn(archives).filter((file) => file.endsWith('.deb'))) {
		await succeed('dpkg-deb', ['--extract', path.join(archives, name), unpacked]);
	}
}

async function aptGet(...args) {
	const settings = [
		`Dir::State::lists=${path.join(apt, 'lists')}`,
		`Dir::Cache=${apt}`,
		`Dir::Cache::archives=${path.join(apt, 'archives')}`,
		'Debug::NoLocking=true',
		// As root apt-get would load files as a user that may not enter the clone.
		'APT::Sandbox::User=',
	];
	await succeed('apt-get', [...settings.flatMap((setting) => ['-o', setting]), ...args]);
}

async function succeed(command, args) {
	const failure = await quietly(command, command, args);
	if (failure) throw new Trouble(`PostgreSQL and Redis could not be unpacked: ${failure}.`);
}

const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
