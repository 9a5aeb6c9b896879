import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quietly, showProgress } from './command.mjs';
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
		const failure = await quietly('npm install', 'npm', install);
		if (failure) throw installTrouble('The development packages', failure);
	});
}

/** Installs the real n8n of a folder and the Node it needs, unless exactly these are there. */
export async function ensureHost(source = hostSource, host = hostFolder) {
	await onceFor(source, host, async () => {
		console.log('Installing n8n for tests and demo (once, about 5 minutes and 3 GB)');
		copyManifest(source, host);
		const driver = makeDriver(host);
		const failure = await quietly('npm install of n8n', 'npm', install, { cwd: host });
		if (failure) throw installTrouble('n8n', failure);
		// All other native parts of n8n come ready made, or are not needed here.
		const args = ['rebuild', ...withScripts, 'node'];
		const problem = await quietly('npm rebuild for n8n', 'npm', args, { cwd: host });
		if (problem) throw installTrouble('The Node.js of n8n', problem);
		const end = showProgress('database driver of n8n');
		const trouble = await driver;
		end();
		if (trouble) throw installTrouble('The database driver of n8n', trouble);
		cpSync(path.join(driverFolder, driverBuild), path.join(host, driverBuild), { recursive: true });
	});
}

const driverFolder = path.join(cacheFolder, 'driver');
const driverBuild = 'node_modules/sqlite3/build/Release';

/** An npm that was told to ignore scripts hands this on to what runs in it. */
const withScripts = ['--ignore-scripts=false'];

/**
 * Installs n8n's database driver by itself while n8n is installed: no package brings it ready made,
 * and where it cannot be downloaded from elsewhere its compilation takes as long as a third of n8n.
 * @returns undefined, or in a few words why it failed
 */
async function makeDriver(host) {
	const { packages } = JSON.parse(readFileSync(path.join(host, lock), 'utf8'));
	const { version } = packages['node_modules/sqlite3'];
	rmSync(driverFolder, { recursive: true, force: true });
	mkdirSync(driverFolder, { recursive: true });
	const manifest = { private: true, dependencies: { sqlite3: version } };
	writeFileSync(path.join(driverFolder, 'package.json'), JSON.stringify(manifest));
	const args = ['install', ...withScripts, '--no-audit', '--no-fund'];
	return await quietly('npm install of the database driver', 'npm', args, {
		cwd: driverFolder,
		isSilent: true,
	});
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

function installTrouble(what, reason) {
	return new Trouble(
		`${what} could not be installed: ${reason}. Check the network connection and npm's settings, then run the command again.`,
	);
}
