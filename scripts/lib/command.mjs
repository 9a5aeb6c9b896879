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
	if (!(error instanceof Trouble)) throw error;
	console.error(error.message);
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

/** Runs Node in the foreground; it ends when this process does, even if this one is killed. */
export async function foregroundNode(args) {
	return await foreground(process.execPath, ['--import', endWithParent, ...args]);
}

/** Keeps temporary files, n8n's settings and the headers for a compilation inside the clone. */
function childEnvironment() {
	const prefix = path.resolve(process.execPath, '../..');
	const hasHeaders = existsSync(path.join(prefix, 'include/node/node_api.h'));
	const [name, value] = hasHeaders
		? ['nodedir', prefix]
		: ['devdir', path.join(cacheFolder, 'node-gyp')];
	return {
		...process.env,
		TMPDIR: tempFolder,
		N8N_USER_FOLDER: path.join(cacheFolder, 'n8n-core'),
		// As npm 11 and older hand it to node-gyp, and as npm 12 and newer do.
		[`npm_config_${name}`]: value,
		[`npm_package_config_node_gyp_${name}`]: value,
	};
}
