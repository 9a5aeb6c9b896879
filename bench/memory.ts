import { readFileSync, writeFileSync } from 'node:fs';

/** Bytes of memory that a process uses now and has used at most since `resetPeakMemory` (Linux). */
export function memoryOf(pid: number): { now: number; peak: number } {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const bytes = (name: string) =>
		Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) * 1024;
	return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Lets the peak start again at what is in use now. */
export const resetPeakMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
