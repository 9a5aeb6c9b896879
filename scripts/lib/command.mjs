import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, rootFolder, tempFolder } from './paths.mjs';
import '../../harness/endWithParent.mjs';

/** What asks this process to end; a process whose parent is gone sends itself the second one. */
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const endWithParent = new URL('../../harness/endWithParent.mjs', import.meta.url).href;

/** Something the user can put right; its message is one line that says how. */
export class Trouble extends Error {}

/** Somebody has ended the command by a signal, e.g. with Ctrl+C. */
export class Stopped extends Trouble {
	constructor() {
		super('Stopped. What was finished is kept: run the command again to go on.');
	}
}

/** Runs a script to its end: a `Trouble` becomes one line on stderr and exit code 1. */
export async function runScript(main) {
	process.exitCode = await main().catch(complain);
}

/**
 * Says on stderr what the user can put right.
 * @returns exit code 1
 * @throws everything else
 */
export function complain(error) {
	const { code, path: file } = error;
	if (error instanceof Trouble) console.error(error.message);
	else if (['EACCES', 'EPERM', 'EROFS'].includes(code) && file)
		console.error(
			`This user can't write to "${file}". Make the folder and what is in it yours (it may belong to root after sudo), then run the command again.`,
		);
	else throw error;
	return 1;
}

/**
 * Runs a command in the foreground: it has the terminal, and signals are handed on to it.
 * @param options of Node's `spawn`; `env` is added to the environment
 * @returns its exit code; 1 when it could not be started or was killed
 */
export async function foreground(command, args, { env, ...options } = {}) {
	mkdirSync(tempFolder, { recursive: true });
	const child = spawn(command, args, {
		cwd: rootFolder,
		stdio: 'inherit',
		...options,
		env: { ...childEnvironment(), ...env },
	});
	const handOn = (signal) => child.kill(signal);
	for (const signal of signals) process.on(signal, handOn);
	const code = await new Promise((resolve) => {
		child.on('error', () => resolve(1));
		child.on('exit', (exitCode) => resolve(exitCode ?? 1));
	});
	for (const signal of signals) process.off(signal, handOn);
	return code;
}

/** Kill what runs out of sight. */
const stops = new Set();

/** Ends everything that runs out of sight; each of these calls throws Stopped. */
export function stopBackground() {
	for (const stop of stops) stop();
}

/**
 * Runs a command out of sight, in a process group of its own.
 * @param began gets the number of the group
 * @returns its exit code, 1 when it could not be started, and all that it has written
 * @throws Stopped after a signal, which kills the whole group
 */
export async function background(command, args, { env, ...options } = {}, began = () => {}) {
	mkdirSync(tempFolder, { recursive: true });
	const child = spawn(command, args, {
		cwd: rootFolder,
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
		...options,
		env: { ...childEnvironment(), ...env },
	});
	let isStopped = false;
	const stop = () => {
		isStopped = true;
		try {
			process.kill(-child.pid, 'SIGKILL');
		} catch {
			// It has just ended.
		}
	};
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk) => (output += String(chunk)));
	const ended = new Promise((resolve) => {
		child.on('error', ({ message }) => {
			output += message;
			resolve(1);
		});
		child.on('close', (exitCode) => resolve(exitCode ?? 1));
	});
	if (child.pid) {
		began(child.pid);
		stops.add(stop);
		for (const signal of signals) process.on(signal, stop);
	}
	const code = await ended;
	stops.delete(stop);
	for (const signal of signals) process.off(signal, stop);
	if (isStopped) throw new Stopped();
	return { code, output };
}

/** Runs Node in the foreground; it ends when this process does, even if this one is killed. */
export async function foregroundNode(args) {
	return await foreground(process.execPath, ['--import', endWithParent, ...args]);
}

/** Keeps temporary files, n8n's settings and the headers for a compilation inside the clone, and proxies away from it. */
function childEnvironment() {
	const prefix = path.resolve(process.execPath, '../..');
	const hasHeaders = existsSync(path.join(prefix, 'include/node/node_api.h'));
	const [name, value] = hasHeaders
		? ['nodedir', prefix]
		: ['devdir', path.join(cacheFolder, 'node-gyp')];
	// The tests and the demo talk to servers of this machine, which no proxy reaches.
	const { NO_PROXY = process.env.no_proxy ?? '' } = process.env;
	const own = ['localhost', '127.0.0.1', '::1'];
	const direct = NO_PROXY === '*' ? '*' : [NO_PROXY, ...own].filter(Boolean).join();
	return {
		...process.env,
		NO_PROXY: direct,
		no_proxy: direct,
		TMPDIR: tempFolder,
		N8N_USER_FOLDER: path.join(cacheFolder, 'n8n-core'),
		// As npm 11 and older hand it to node-gyp, and as npm 12 and newer do.
		[`npm_config_${name}`]: value,
		[`npm_package_config_node_gyp_${name}`]: value,
	};
}
