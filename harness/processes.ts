import { execFileSync } from 'node:child_process';

interface Entry {
	pid: number;
	parent: number;
}

/** All processes of this machine, without those that have ended and wait for their parent's look. */
function running(): Entry[] {
	const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
	return lines
		.trim()
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([, , state]) => !state?.startsWith('Z'))
		.map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** Ids of the processes that a process has started. */
export const children = (pid: number, all = running()): number[] =>
	all.filter(({ parent }) => parent === pid).map((child) => child.pid);

/** Those, and what they have started in turn. */
export function descendants(pid: number, all = running()): number[] {
	return children(pid, all).flatMap((child) => [child, ...descendants(child, all)]);
}

/** Those of the given processes that have not ended. */
export function stillRunning(pids: number[]): number[] {
	const all = new Set(running().map(({ pid }) => pid));
	return pids.filter((pid) => all.has(pid));
}
