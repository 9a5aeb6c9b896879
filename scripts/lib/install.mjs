import { spawnSync } from 'node:child_process';
// `fs`, because a Node too old for `statfsSync` must get as far as the message that says so.
import fs, {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { background, stopBackground, Stopped, Trouble } from './command.mjs';
import { fingerprint, isMade, once } from './once.mjs';
import { ensureTarball } from './package.mjs';
import { hostFolder, hostSource, newestHost, rootFolder } from './paths.mjs';
import { pathOf } from './programs.mjs';
import { showing } from './progress.mjs';

/** `--no-save`: an npm with other settings than ours must not rewrite the lock file. */
const install = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund'];

// Without a network, npm would try each of 2,000 packages for a minute.
const ping = [
	'ping',
	'--fetch-retries=1',
	'--fetch-retry-mintimeout=1000',
	'--fetch-timeout=20000',
];

// The only packages of n8n that need a script: its Node.js and its database driver. All other native parts come
// ready made, or are not needed here. Everything that runs comes from the lock file.
const rebuild = ['rebuild', '--ignore-scripts=false', 'node', 'sqlite3'];

/** For the compiler of the driver: all optimizations would take a minute more, and save no query a millisecond. */
function compilerSettings() {
	const { CFLAGS = '', CXXFLAGS = '' } = process.env;
	return { CFLAGS: `${CFLAGS} -O1`, CXXFLAGS: `${CXXFLAGS} -O1`, JOBS: '2' };
}

/** Packages to install: what names them, where to, and how much of the disk they and their downloads take. */
const development = {
	name: 'the development packages',
	source: rootFolder,
	target: rootFolder,
	gigabytes: 1.5,
	duration: 'once, 1 to 2 minutes',
};
const n8nIn = (source, target) => ({
	name: 'n8n',
	source,
	target,
	gigabytes: 3.5,
	duration: 'once, 2 to 6 minutes and 3 GB',
});

/** Installs the development packages, unless exactly these are there. */
export async function ensureDevelopmentPackages() {
	if (isMade(made(development))) return;
	ensureSpace(development);
	await unpack(development, '.installed');
}

/** Installs the real n8n of a folder and the Node it needs, unless exactly these are there. */
export async function ensureHost(source = hostSource, host = hostFolder) {
	const n8n = n8nIn(source, host);
	if (isMade(made(n8n))) return;
	ensureSpace(n8n);
	// In two steps: if the second one fails, the first one stays.
	await unpack(n8n, '.unpacked');
	await once({ name: 'the native parts of n8n', ...made(n8n) }, async ({ began }) => {
		const step = { name: 'the native parts of n8n', duration: 'once, 1 to 2 minutes' };
		await npm(step, rebuild, { cwd: host, env: compilerSettings() }, began, () =>
			nativeAdvice(host),
		);
		const node = path.join(host, 'node_modules/node/bin/node');
		const { status } = spawnSync(node, ['-e', "require('sqlite3')"], { cwd: host });
		if (status !== 0) throw new Trouble('The database driver of n8n cannot be loaded.');
	});
}

/**
 * Installs both side by side, which keeps two cores busy, and packs the package: all that the demo and the tests in
 * n8n need.
 */
export async function ensureEverything() {
	ensureSpace(development, n8nIn(hostSource, hostFolder));
	const all = [ensureDevelopmentPackages().then(ensureTarball), ensureHost()];
	try {
		await Promise.all(all);
	} catch (error) {
		stopBackground();
		await Promise.allSettled(all);
		throw error;
	}
}

/** Installs the newest n8n that can be installed, if it is newer than the tested one; false if there is none. */
export async function ensureNewestHost() {
	const source = `${newestHost}-source`;
	const manifest = JSON.parse(readFileSync(path.join(hostSource, 'package.json'), 'utf8'));
	const limits = { encoding: 'utf8', timeout: 60_000 };
	const { stdout } = spawnSync('npm', ['view', 'n8n', 'versions', '--json'], limits);
	if (!stdout) throw new Trouble('npm returned no list of n8n versions.');
	const all = JSON.parse(stdout).filter((version) => !version.includes('-'));
	for (const folder of [source, newestHost]) mkdirSync(folder, { recursive: true });
	for (const n8n of all.slice(all.indexOf(manifest.dependencies.n8n) + 1).reverse()) {
		const dependencies = { ...manifest.dependencies, n8n };
		writeFileSync(path.join(source, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
		// With a lock file to start from, npm finds out in minutes that a package is missing, otherwise in a quarter of an hour.
		copyFileSync(path.join(hostSource, lock), path.join(newestHost, lock));
		console.log(`Trying n8n ${n8n}`);
		try {
			await ensureHost(source, newestHost);
			return true;
		} catch (error) {
			if (error instanceof Stopped) throw error;
			console.log(String(error));
		}
	}
	console.log(`No n8n newer than ${manifest.dependencies.n8n} can be installed`);
	return false;
}

/** Unpacks packages, from the start if that was interrupted, and then writes the file into their folder. */
async function unpack(packages, file) {
	const { name, source, target, duration } = packages;
	const folder = path.join(target, 'node_modules');
	if (isMade(made(packages, file))) return;
	await ensureRegistry();
	await once({ name, ...made(packages, file) }, async ({ began, isLeft }) => {
		if (existsSync(folder) && (isLeft || !isFinished(folder))) {
			console.log(`Removing what was left unfinished of ${name}`);
			rmSync(folder, { recursive: true });
		}
		if (source !== target) {
			mkdirSync(target, { recursive: true });
			for (const one of manifests(source))
				copyFileSync(path.join(source, one), path.join(target, one));
		}
		const step = { name, duration, count: () => unpacked(target) };
		await npm(step, install, { cwd: target }, began, downloadAdvice);
	});
}

/** Whether npm has ended an installation, which it takes for whole if there is a package.json in each package. */
const isFinished = (folder) => existsSync(path.join(folder, '.package-lock.json'));

/** How many packages of a lock file are there. */
function unpacked(folder) {
	const file = path.join(folder, lock);
	if (!existsSync(file)) return '';
	const all = Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages)
		.filter(([name, { os, cpu }]) => name && !os && !cpu)
		.map(([name]) => path.join(folder, name, 'package.json'));
	return `${all.filter((one) => existsSync(one)).length} of ${all.length} packages`;
}

/**
 * Runs npm out of sight.
 * @param where `cwd` and `env`, as for `background`
 * @param advise returns what to do if npm fails with this output
 * @throws Trouble with the advice, after printing the end of the output
 */
async function npm({ name, ...step }, args, where, began, advise) {
	const options = ['--loglevel=warn', '--no-progress', '--no-update-notifier'];
	await showing({ what: `Installing ${name}`, ...step }, async () => {
		const { code, output } = await background('npm', [...args, ...options], where, began);
		// On a full disk npm writes empty files, and ends well.
		if (code === 0 && !/ENOSPC/.test(output)) return;
		console.error(output.trim().split('\n').slice(-15).join('\n'));
		throw new Trouble(
			`Installing ${name} has failed. ${advise(output)}, then run the command again.`,
		);
	});
}

/** Looks for npm's registry, once for all that is installed; throws Trouble if npm can't reach it. */
const ensureRegistry = () => (registry ??= lookForRegistry());

let registry;

async function lookForRegistry() {
	const { code, output } = await background('npm', [...ping, '--no-update-notifier']);
	if (code === 0 || !isUnreachable(output)) return;
	const [, reason] = /reason: (.*)/.exec(output) ?? [undefined, output.trim()];
	throw new Trouble(
		`npm can't reach its registry: ${reason}. ${networkAdvice}, then run the command again.`,
	);
}

/** Whether npm reports a failure of the network or of a certificate; any other response comes from a registry. */
const isUnreachable = (output) =>
	/code \w*(NOTFOUND|EAI_|ECONN|TIMEDOUT|TIMEOUT|ENET|EHOST|SOCKET|FETCH_ERROR|CERT|UNABLE_TO)/.test(
		output,
	);

const networkAdvice =
	"Check the network connection and npm's settings for registry, proxy and certificates";

function downloadAdvice(output) {
	if (/ENOSPC/.test(output)) return 'The disk is full: free about 5 GB';
	if (/EACCES|EPERM|EROFS/.test(output))
		return "npm can't write to the folder named above: make it writable, or set npm_config_cache to another one";
	if (isUnreachable(output)) return networkAdvice;
	return 'npm writes above what is wrong: correct it';
}

function nativeAdvice(host) {
	const compilers = ['c++', 'g++', 'clang++'];
	if (!pathOf('python3') || !pathOf('make') || !compilers.some(pathOf))
		return "n8n's database driver must be compiled on this machine: install Python 3, make and a C++ compiler (Debian: apt-get install python3 make g++; macOS: xcode-select --install)";
	if (/\s/.test(host))
		return `n8n's database driver can't be compiled in a path with a space: move the repository from "${rootFolder}" to a path without one`;
	return 'npm writes above what is wrong: correct it';
}

/** @throws Trouble if packages that are not there need more of the disk than is free */
function ensureSpace(...all) {
	const isMissing = ({ target }) => !isFinished(path.join(target, 'node_modules'));
	const needed = all.filter(isMissing).reduce((sum, { gigabytes }) => sum + gigabytes, 0);
	const { bavail, bsize } = fs.statfsSync(rootFolder);
	const free = (bavail * bsize) / 1e9;
	if (free < needed)
		throw new Trouble(
			`The packages need about ${needed} GB of the disk, and ${free.toFixed(1)} GB are free. Free more, then run the command again.`,
		);
}

const lock = 'package-lock.json';

/** Without a lock file, npm uses the newest packages that fit. */
const manifests = (source) =>
	['package.json', lock].filter((name) => existsSync(path.join(source, name)));

/** Beside the packages stands which lock file (without one, which package.json), and which kind of machine, they come from. */
const made = ({ source, target }, file = '.installed') => ({
	mark: path.join(target, 'node_modules', file),
	value: `${fingerprint(source, manifests(source).slice(-1))} ${process.platform} ${process.arch}`,
});
