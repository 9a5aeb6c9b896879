import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './command.mjs';
import { hostFolder, hostSource, newestHost, rootFolder } from './paths.mjs';
import { fingerprint, onceFor } from './stamp.mjs';
import { Trouble } from './trouble.mjs';

/** `--no-save`: an npm with other settings than ours must not rewrite the lock file. */
const install = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund'];

const lock = 'package-lock.json';

/** Installs the development packages, unless exactly these are there. */
export async function ensureDevelopmentPackages() {
	await installedFor(rootFolder, rootFolder, async () => {
		console.log('Installing the development packages (about 2 minutes)');
		check('The development packages', await quietly('npm install', 'npm', install));
	});
}

/** Installs the real n8n of a folder and the Node it needs, unless exactly these are there. */
export async function ensureHost(source = hostSource, host = hostFolder) {
	await installedFor(source, host, async () => {
		console.log('Installing n8n for tests and demo (once, about 5 minutes and 3 GB)');
		copyManifest(source, host);
		const inHost = { cwd: host };
		check('n8n', await quietly('npm install of n8n', 'npm', install, inHost));
		// The only packages of n8n that need a script: its Node.js and its database driver. All other native
		// parts come ready made, or are not needed here. Everything that runs comes from the lock file.
		const args = ['rebuild', ...withScripts, 'node', 'sqlite3'];
		check('The native parts of n8n', await quietly('npm rebuild for n8n', 'npm', args, inHost));
		check('The database driver of n8n', runs(host) ? undefined : 'it cannot be loaded');
	});
}

/** Installs the newest n8n that can be installed, if it is newer than the tested one; false if there is none. */
export async function ensureNewestHost() {
	const source = `${newestHost}-source`;
	const manifest = JSON.parse(readFileSync(path.join(hostSource, 'package.json'), 'utf8'));
	const limits = { encoding: 'utf8', timeout: 60_000 };
	const { stdout } = spawnSync('npm', ['view', 'n8n', 'versions', '--json'], limits);
	check('A newer n8n', stdout ? undefined : 'the registry does not name its versions');
	const all = JSON.parse(stdout).filter((version) => !version.includes('-'));
	mkdirSync(source, { recursive: true });
	for (const n8n of all.slice(all.indexOf(manifest.dependencies.n8n) + 1).reverse()) {
		const dependencies = { ...manifest.dependencies, n8n };
		writeFileSync(path.join(source, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
		console.log(`Trying n8n ${n8n}`);
		try {
			await ensureHost(source, newestHost);
			return true;
		} catch (error) {
			console.log(String(error));
		}
	}
	console.log(`No n8n newer than ${manifest.dependencies.n8n} can be installed`);
	return false;
}

/** An npm that was told to ignore scripts hands this on to what runs in it. */
const withScripts = ['--ignore-scripts=false'];

function copyManifest(source, target) {
	mkdirSync(target, { recursive: true });
	for (const name of manifests(source))
		copyFileSync(path.join(source, name), path.join(target, name));
}

/** Without a lock file, npm takes the newest packages that fit. */
const manifests = (source) =>
	['package.json', lock].filter((name) => existsSync(path.join(source, name)));

/** Beside the packages stands which lock file (without one, which package.json), and which kind of machine, they come from. */
const installedFor = async (source, target, install) =>
	await onceFor(
		path.join(target, 'node_modules/.installed'),
		`${fingerprint(source, manifests(source).slice(-1))} ${process.platform} ${process.arch}`,
		install,
	);

function runs(host) {
	const node = path.join(host, 'node_modules/node/bin/node');
	return spawnSync(node, ['-e', "require('sqlite3')"], { cwd: host }).status === 0;
}

/** @throws when there is a reason why something could not be installed */
function check(what, reason) {
	if (reason === undefined) return;
	throw new Trouble(
		`${what} could not be installed: ${reason}. Check the network connection and npm's settings, then run the command again.`,
	);
}
