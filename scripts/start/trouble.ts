import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, rootFolder } from '../../harness';

/** Something the user can put right; its message is one line that says how. */
export class Trouble extends Error {}

/** The first line of what went wrong: the rest is for those who look closer. */
export const reasonOf = (error: unknown): string =>
	(error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/** Writes all of what went wrong to a log file. @returns its name, for a message */
export function keep(error: unknown): string {
	const file = path.join(cacheFolder, 'logs/start.log');
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(
		file,
		error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error),
	);
	return path.relative(rootFolder, file);
}
