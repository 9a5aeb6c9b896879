/**
 * Runs one command as a process group that never outlives its parent: started by `process.ts` as
 * `node supervisor.mjs <log file> <command> <arguments…>` with an IPC channel.
 *
 * The channel closes however the parent ends, also when it is killed, and a command that itself
 * starts children (n8n starts a task runner) leaves none behind: the whole group is killed last.
 */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';

const GRACE_MS = 12_000;

const [logFile, command, ...args] = process.argv.slice(2);
const log = openSync(logFile, 'a');
const child = spawn(command, args, { stdio: ['ignore', log, log] });

const tell = (message, then = () => {}) =>
	process.connected ? process.send(message, () => then()) : then();

/** Kills whatever is left of the group, this process included. */
const endGroup = () => process.kill(-process.pid, 'SIGKILL');

function stop() {
	child.kill('SIGTERM');
	setTimeout(endGroup, GRACE_MS).unref();
}

child.on('spawn', () => tell({ pid: child.pid }));
child.on('error', (error) => tell({ exit: error.message }, endGroup));
child.on('exit', (code, signal) => tell({ exit: signal ?? code }, endGroup));
process.on('disconnect', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
