import { existsSync } from 'node:fs';
import path from 'node:path';
import { preProcessFile } from 'typescript';
import { rootFolder } from '../../../harness/paths';
import { textOf } from './files';

/** What a file imports: another file of the clone by its path, or a package by its name. */
export function importsOf(file: string): string[] {
	const { importedFiles } = preProcessFile(textOf(file), true, true);
	return importedFiles.map(({ fileName }) =>
		fileName.startsWith('.') ? path.posix.join(path.posix.dirname(file), fileName) : fileName,
	);
}

/** Whether an import leads to a file of the clone, and to none that is missing. */
export const isFile = (imported: string): boolean =>
	['', '.ts', '/index.ts'].some((ending) =>
		existsSync(path.join(rootFolder, `${imported}${ending}`)),
	);

/** A row of a table of folders. */
export interface Folder {
	/** Path in the clone, without a slash at the end. */
	folder: string;
	/** Paths of folders and files, and names of packages. */
	mayImport: string[];
}

/**
 * The table of folders under a heading of a document.
 *
 * @param parent the folder that the table's folders lie in; empty for the clone
 */
export function folderTable(document: string, heading: string, parent = ''): Folder[] {
	const [, section = ''] = document.split(`### ${heading}\n`);
	const rows = (section.split(/^#/m)[0] ?? '').matchAll(/^\| `([^`]+)\/` \|.*\|([^|]*)\|$/gm);
	const within = (name: string): string =>
		/(\/|\.ts)$/.test(name) ? path.posix.join(parent, name.replace(/(\/|\.ts)$/, '')) : name;
	return [...rows].map(([, name = '', cell = '']) => ({
		folder: within(`${name}/`),
		mayImport: [...cell.matchAll(/`([^`]+)`/g)].map(([, entry = '']) => within(entry)),
	}));
}

/** The rooms of a circle of imports, the first again at the end; empty if there is none. */
export function circleIn(imports: Map<string, Set<string>>): string[] {
	const search = (room: string, way: string[]): string[] => {
		if (way.includes(room)) return [...way.slice(way.indexOf(room)), room];
		for (const next of imports.get(room) ?? []) {
			const circle = search(next, [...way, room]);
			if (circle.length > 0) return circle;
		}
		return [];
	};
	for (const room of imports.keys()) {
		const circle = search(room, []);
		if (circle.length > 0) return circle;
	}
	return [];
}
