import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './command.mjs';
import { hostFolder, hostSource, rootFolder } from './paths.mjs';
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
		console.log('Installing n8n for tests and demo (once, about 6 minutes and 3 GB)');
		mkdirSync(host, { recursive: true });
		for (const name of ['package.json', lock]) {
			copyFileSync(path.join(source, name), path.join(host, name));
		}
		const failure = await quietly('npm install of n8n', 'npm', install, { cwd: host });
		if (failure) throw installTrouble('n8n', failure);
		// Its Node.js and its database driver; all other native parts come ready made, or are not needed here.
		const args = ['rebuild', '--ignore-scripts=false', 'node', 'sqlite3'];
		const problem = await quietly('npm rebuild for n8n', 'npm', args, { cwd: host });
		if (problem) throw installTrouble('The native parts of n8n', problem);
	});
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
