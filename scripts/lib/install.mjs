import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './command.mjs';
import { cacheFolder, hostFolder, hostSource, rootFolder } from './paths.mjs';
import { fingerprint, isStamped, stamp } from './stamp.mjs';
import { Trouble } from './trouble.mjs';

/** `--no-save`: an npm with other settings than ours must not rewrite the lock file. */
const install = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund'];

const lock = 'package-lock.json';

/** Installs the development packages, unless exactly these are there. */
export async function ensureDevelopmentPackages() {
	await onceFor(rootFolder, rootFolder, async () => {
		console.log('Installing the development packages (about 2 minutes)');
		const share = unpackedShare(rootFolder);
		const failure = await quietly('npm install', 'npm', install, { share });
		if (failure) throw installTrouble('The development packages', failure);
	});
}

/** Installs the real n8n of a folder and the Node it needs, unless exactly these are there. */
export async function ensureHost(source = hostSource, host = hostFolder) {
	await onceFor(source, host, async () => {
		console.log('Installing n8n for tests and demo (once, about 5 minutes and 3 GB)');
		copyManifest(source, host);
		const failure = await quietly('npm install of n8n', 'npm', install, {
			cwd: host,
			share: unpackedShare(host),
		});
		if (failure) throw installTrouble('n8n', failure);
		// All other native parts of n8n come ready made, or are not needed here.
		const problem = await rebuild('node', host);
		if (problem) throw installTrouble('The Node.js of n8n', problem);
		if (await takeDriver(host)) return;
		const trouble = await rebuild('sqlite3', host);
		if (trouble) throw installTrouble('The database driver of n8n', trouble);
		if (!runs(host)) throw installTrouble('The database driver of n8n', 'it cannot be loaded');
	});
}

/** Lets the scripts of a package run, also by an npm that was told to ignore them. */
const rebuild = async (name, host) =>
	await quietly(`npm rebuild ${name}`, 'npm', ['rebuild', '--ignore-scripts=false', name], {
		cwd: host,
	});

/** Has n8n's database driver ready made, for the same interface; n8n's own package is to be compiled. */
const driver = '@appthreat/sqlite3@8.0.1';

/**
 * Puts the ready-made driver into n8n's package: compiling it takes minutes.
 * @returns whether there is one that runs on this machine
 */
async function takeDriver(host) {
	const folder = path.join(cacheFolder, 'driver');
	const args = ['install', '--prefix', folder, ...install.slice(1), '--omit=optional', driver];
	if (await quietly('npm install of the database driver', 'npm', args)) return false;
	const builds = path.join(
		folder,
		'node_modules/@appthreat/sqlite3/prebuilds',
		`${process.platform}-${process.arch}`,
	);
	const target = path.join(host, 'node_modules/sqlite3/build/Release/node_sqlite3.node');
	mkdirSync(path.dirname(target), { recursive: true });
	// One for each library of C.
	const files = existsSync(builds) ? readdirSync(builds).sort() : [];
	const fits = files.some((file) => {
		copyFileSync(path.join(builds, file), target);
		return runs(host);
	});
	rmSync(folder, { recursive: true, force: true });
	return fits;
}

/** What is installed by a lock file, by its place. */
const packagesOf = (folder) => JSON.parse(readFileSync(path.join(folder, lock), 'utf8')).packages;

/** Tells how much of what a lock file names for this machine is there. */
function unpackedShare(folder) {
	const fits = (wanted, own) => wanted === undefined || wanted.includes(own);
	const places = Object.entries(packagesOf(folder))
		.filter(
			([place, { os, cpu }]) => place && fits(os, process.platform) && fits(cpu, process.arch),
		)
		.map(([place]) => path.join(folder, place, 'package.json'));
	return () => places.filter((file) => existsSync(file)).length / places.length;
}

function copyManifest(source, target) {
	mkdirSync(target, { recursive: true });
	for (const name of ['package.json', lock]) {
		copyFileSync(path.join(source, name), path.join(target, name));
	}
}

/** Remembers beside the packages which lock file, and for which kind of machine, they come from. */
async function onceFor(source, target, install) {
	const file = path.join(target, 'node_modules/.installed');
	const value = `${fingerprint(source, [lock])} ${process.platform} ${process.arch}`;
	if (isStamped(file, value)) return;
	await install();
	stamp(file, value);
}

function runs(host) {
	const node = path.join(host, 'node_modules/node/bin/node');
	return spawnSync(node, ['-e', "require('sqlite3')"], { cwd: host }).status === 0;
}

function installTrouble(what, reason) {
	return new Trouble(
		`${what} could not be installed: ${reason}. Check the network connection and npm's settings, then run the command again.`,
	);
}
