/**
 * Loaded before everything else (`node --import`): ends a process when the one that has started it
 * is gone, also when that was killed and could tell nobody. It then gets the signal that asks it to
 * end, as from an operator.
 */
const lookMs = 250;

const { ppid } = process;

setInterval(() => {
	if (process.ppid !== ppid) process.kill(process.pid, 'SIGTERM');
}, lookMs).unref();
