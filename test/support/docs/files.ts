import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../../../harness/paths';

/** Folders of the repository. */
export const allFolders =
	'nodes credentials sandbox harness test bench scripts docs examples icons'.split(' ');

/**
 * All files of a folder of the clone, as paths in the clone with slashes.
 *
 * @param ending what their names end with
 */
export function filesIn(folder: string, ending: RegExp): string[] {
	return readdirSync(path.join(rootFolder, folder), { withFileTypes: true })
		.filter(({ name }) => name !== 'node_modules')
		.flatMap((entry) => {
			const file = `${folder}/${entry.name}`;
			return entry.isDirectory() ? filesIn(file, ending) : [file];
		})
		.filter((file) => ending.test(file));
}

/** Documents of the root, and all others. */
export const documents = [
	...readdirSync(rootFolder).filter((name) => name.endsWith('.md')),
	...allFolders.flatMap((folder) => filesIn(folder, /\.md$/)),
];

/** The text of a file of the clone. */
export const textOf = (file: string): string => readFileSync(path.join(rootFolder, file), 'utf8');

/** Whether the clone itself has a file, by its path in the clone. */
export const isThere = (file: string): boolean =>
	!/^(\/|\.\.)/.test(file) && existsSync(path.join(rootFolder, file));
