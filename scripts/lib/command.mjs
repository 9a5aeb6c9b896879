import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, logs, rootFolder, tempFolder } from './paths.mjs';
import '../../harness/endWithParent.mjs';

const heartbeatMs = process.stdout.isTTY ? 1_000 : 15_000;

/** What asks this process to end; a process whose parent is gone sends itself the second one. */
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const endWithParent = new URL('../../harness/endWithParent.mjs', import.meta.url).href;

/**
 * Runs a command in the foreground: it has the terminal.
 * @returns its exit code; 1 when it could not be started or was killed
 */
export async function foreground(command, args) {
	const { code } = await run(command, args, { stdio: 'inherit' });
	return code ?? 1;
}

/** Runs Node in the foreground; it ends when this process does, also when this one is killed. */
export async function foregroundNode(args) {
	return await foreground(process.execPath, ['--import', endWithParent, ...args]);
}

/**
 * Shows that something goes on: in a terminal in one line that changes, else in a line from time to
 * time.
 * @returns ends it
 */
function showProgress(label) {
	const start = Date.now();
	const beat = setInterval(() => {
		const line = `  … ${label}: ${Math.round((Date.now() - start) / 1_000)} s`;
		if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001b[K`);
		else console.log(line);
	}, heartbeatMs);
	return () => {
		clearInterval(beat);
		if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
	};
}

/**
 * Runs a command that takes long and talks much: its output goes to a log file.
 * @param options `cwd`
 * @returns undefined, or in a few words why it failed
 */
export async function quietly(label, command, args, { cwd = rootFolder } = {}) {
	mkdirSync(logs, { recursive: true });
	const file = path.join(logs, `${label.replace(/\W+/g, '-')}.log`);
	const log = openSync(file, 'w');
	const end = showProgress(label);
	const { code, error } = await run(command, args, { cwd, stdio: ['ignore', log, log] });
	end();
	closeSync(log);
	if (code === 0) return undefined;
	const reason = error?.code === 'ENOENT' ? `${command} is not installed` : lastError(file);
	return `${reason} (details: ${path.relative(rootFolder, file)})`;
}

/** Waits for the end of a child, to which signals are handed on meanwhile. */
async function run(command, args, options) {
	mkdirSync(tempFolder, { recursive: true });
	const child = spawn(command, args, { cwd: rootFolder, env: childEnvironment(), ...options });
	const handOn = (signal) => child.kill(signal);
	for (const signal of signals) process.on(signal, handOn);
	const result = await new Promise((resolve) => {
		child.on('error', (error) => resolve({ error }));
		child.on('exit', (code) => resolve({ code }));
	});
	for (const signal of signals) process.off(signal, handOn);
	return result;
}

/** Keeps temporary files, n8n's settings and the headers for a compilation inside the clone. */
function childEnvironment() {
	const prefix = path.resolve(process.execPath, '../..');
	const hasHeaders = existsSync(path.join(prefix, 'include/node/node_api.h'));
	const headers = hasHeaders ? { nodedir: prefix } : { devdir: path.join(cacheFolder, 'node-gyp') };
	const settings = Object.entries(headers).flatMap(([name, value]) => [
		// As npm 11 and older hand it to node-gyp, and as npm 12 and newer do.
		[`npm_config_${name}`, value],
		[`npm_package_config_node_gyp_${name}`, value],
	]);
	const folders = { TMPDIR: tempFolder, N8N_USER_FOLDER: path.join(cacheFolder, 'n8n-core') };
	return { ...process.env, ...folders, ...Object.fromEntries(settings) };
}

/** The line of a log that says most: the first one with an error, else the last one. */
function lastError(file) {
	const lines = readFileSync(file, 'utf8')
		.split('\n')
		.map((line) => line.trim())
		.filter(Boolean);
	return lines.find((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? 'it said nothing';
}
