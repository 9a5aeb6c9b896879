/**
 * Runs one command as a process group that never outlives its parent: started by `supervised.ts` as
 * `node supervisor.mjs <folder> <log file> <command> <arguments…>` with an IPC channel, which hands over signals.
 *
 * The channel closes however the parent ends, even if it's killed. The folder is then removed, because nobody
 * else is left to do it. The whole group is killed last, because n8n starts children.
 */
import { spawn } from 'node:child_process';
import { openSync, rmSync, writeSync } from 'node:fs';

const graceMs = 12_000;

const [folder, logFile, command, ...args] = process.argv.slice(2);
const log = openSync(logFile, 'a');
const child = spawn(command, args, { stdio: ['ignore', log, log] });
let isOrphan = false;

function end(signal) {
	child.kill(signal);
	setTimeout(() => child.kill('SIGKILL'), graceMs);
}

function leave() {
	if (isOrphan) rmSync(folder, { recursive: true, force: true });
	process.kill(-process.pid, 'SIGKILL');
}

child.on('exit', leave);
// A program that is not there.
child.on('error', ({ message }) => {
	writeSync(log, `${message}\n`);
	leave();
});
process.on('message', end);
process.on('disconnect', () => {
	isOrphan = true;
	end('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
