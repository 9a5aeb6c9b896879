import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { foreground, Trouble } from './command.mjs';

/** Where macOS keeps it, which is not in PATH. */
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

const browsers = [
	...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
	...[onMac, path.join(homedir(), onMac)],
];

/** The package of Debian that brings Chromium. */
export const chromiumPackage = 'chromium';

/** Names Chromium to the tests in the variable CHROMIUM, after installing it if that is possible. */
export async function ensureChromium() {
	const { CHROMIUM: named } = process.env;
	if (named && !pathOf(named))
		throw new Trouble(
			`CHROMIUM is set to ${named}, where no program is. Correct or unset it, and run the command again.`,
		);
	process.env.CHROMIUM = await ensureFromDebian(
		[chromiumPackage],
		() => (named ? pathOf(named) : findChromium()),
		'The editor tests need Chromium. Install the package "chromium" (Debian: apt-get install chromium) or Google Chrome, or set CHROMIUM to the path of the program, and run the command again.',
	);
}

/** Where Chromium is, if it is in a usual place. */
export const findChromium = () => browsers.map(pathOf).find(Boolean);

/** Finds Git, after installing it if that is possible. */
export async function ensureGit() {
	await ensureFromDebian(
		['git'],
		() => pathOf('git'),
		'The tests of publishing need Git. Install it (Debian: apt-get install git; macOS: xcode-select --install), and run the command again.',
	);
}

/** Adds PostgreSQL's programs to PATH, after installing them and Redis if that is possible. */
export async function ensureServers() {
	// Debian keeps them in one folder for each version.
	const versions = '/usr/lib/postgresql';
	const programs = ['initdb', 'postgres', 'pg_isready', 'redis-server', 'redis-cli'];
	await ensureFromDebian(
		['postgresql', 'redis'],
		() => {
			const all = existsSync(versions) ? readdirSync(versions) : [];
			const folders = all.map((version) => path.join(versions, version, 'bin'));
			const known = process.env.PATH.split(path.delimiter);
			process.env.PATH = [...new Set([...folders, ...known])].join(path.delimiter);
			return programs.every(pathOf);
		},
		'The scale tests need PostgreSQL and Redis. Install both (Debian: apt-get install postgresql redis; macOS: brew install postgresql redis) with their programs in PATH, and run the command again.',
	);
}

/** Where a program is, by its name in PATH or by its whole path; undefined if it is nowhere. */
export const pathOf = (name) =>
	process.env.PATH.split(path.delimiter)
		.map((folder) => path.resolve(folder, name))
		.find((file) => {
			const stats = statSync(file, { throwIfNoEntry: false });
			return stats?.isFile() && (stats.mode & 0o111) > 0;
		});

/** Whether packages of Debian can be installed and removed. */
export const isRootOnDebian = () => process.getuid?.() === 0 && pathOf('apt-get') !== undefined;

const patient = ['Acquire::Retries=3', 'Acquire::http::Timeout=60', 'DPkg::Lock::Timeout=300'];

/**
 * Runs apt-get, which never asks, and ends even if no mirror responds or another apt-get runs.
 * @returns whether it has done it
 */
export async function aptGet(...args) {
	const options = patient.flatMap((option) => ['-o', option]);
	const code = await foreground('apt-get', ['--yes', ...options, ...args], {
		env: { DEBIAN_FRONTEND: 'noninteractive' },
		stdio: ['ignore', 'inherit', 'inherit'],
		timeout: 900_000,
	});
	return code === 0;
}

/**
 * Installs packages of Debian, as root and unless what they bring is there.
 * @param find returns what they bring
 * @returns what was found
 * @throws Trouble with the advice if it is not there afterwards
 */
async function ensureFromDebian(packages, find, advice) {
	const before = find();
	if (before) return before;
	if (isRootOnDebian()) {
		console.log(`Installing from Debian: ${packages.join(', ')} (once, about 2 minutes)`);
		if (await aptGet('update')) await aptGet('install', ...packages);
	}
	const after = find();
	if (!after) throw new Trouble(advice);
	return after;
}
