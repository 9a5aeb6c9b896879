/**
 * Runs one command as a process group that never outlives its parent: started by `supervised.ts` as
 * `node supervisor.mjs <folder> <log file> <command> <arguments…>` with an IPC channel.
 *
 * The channel closes however the parent ends, also when it is killed; the folder is then removed,
 * because nobody else is left to do it. A command that itself starts children (n8n starts a task
 * runner) leaves none behind: the whole group is killed last.
 */
import { spawn } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';

const graceMs = 12_000;

const [folder, logFile, command, ...args] = process.argv.slice(2);
const log = openSync(logFile, 'a');
const child = spawn(command, args, { stdio: ['ignore', log, log] });
let isOrphan = false;

function tell(message, then = () => {}) {
	if (process.connected) process.send(message, then);
	else then();
}

/** Ends whatever is left of the group, this process included. */
function endGroup() {
	if (isOrphan && folder) rmSync(folder, { recursive: true, force: true });
	process.kill(-process.pid, 'SIGKILL');
}

function stop() {
	child.kill('SIGTERM');
	setTimeout(() => child.kill('SIGKILL'), graceMs);
}

child.on('spawn', () => tell({ pid: child.pid }));
child.on('error', (error) => tell({ exit: error.message }, endGroup));
child.on('exit', (code, signal) => tell({ exit: signal ?? code }, endGroup));
process.on('disconnect', () => {
	isOrphan = true;
	stop();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
