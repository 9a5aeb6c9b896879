import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pick } from 'lodash';
import { preProcessFile } from 'typescript';
import { rootFolder } from '../../harness';
import { filesIn, allFolders, textOf } from '../support/docs/files';

/** What a file imports: another file of the clone by its path, or a package by its name. */
function importsOf(file: string): string[] {
	const { importedFiles } = preProcessFile(textOf(file), true, true);
	return importedFiles.map(({ fileName }) =>
		fileName.startsWith('.') ? path.posix.join(path.posix.dirname(file), fileName) : fileName,
	);
}

/** Whether an import leads to a file of the clone, and to none that is missing. */
const isFile = (imported: string): boolean =>
	['', '.ts', '/index.ts'].some((ending) =>
		existsSync(path.join(rootFolder, `${imported}${ending}`)),
	);

/** A row of a table of folders. */
interface Folder {
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
function folderTable(document: string, heading: string, parent = ''): Folder[] {
	const [, section = ''] = document.split(`### ${heading}\n`);
	const rows = (section.split(/^#/m)[0] ?? '').matchAll(/^\| `([^`]+)\/` \|.*\|([^|]*)\|$/gm);
	const within = (name: string): string =>
		/(\/|\.ts)$/.test(name) ? path.posix.join(parent, name.replace(/(\/|\.ts)$/, '')) : name;
	return [...rows].map(([, name = '', cell = '']) => ({
		folder: within(`${name}/`),
		mayImport: [...cell.matchAll(/`([^`]+)`/g)].map(([, entry = '']) => within(entry)),
	}));
}

/** The rooms of circles of imports, and those that lead to one: what is left without those that lead to none. */
function inCircles(imports: Record<string, string[]>): string[] {
	const left = Object.keys(imports).filter((room) => imports[room]?.some((one) => one in imports));
	return left.length === Object.keys(imports).length ? left : inCircles(pick(imports, left));
}

const nodes = 'nodes/MessagingService';
const contributing = textOf('CONTRIBUTING.md');
const folders = folderTable(contributing, 'In the repository');
const rooms = folderTable(contributing, 'In nodes/MessagingService', nodes);

const codeIn = (folder: string): string[] => filesIn(folder, /\.(ts|mjs|js)$/);
const isPackage = (imported: string): boolean => !isFile(imported);
/** The folder of a table that a file lies in; undefined for one beside them. */
const folderOf = (file: string, table: Folder[]): string | undefined =>
	table.find(({ folder }) => file === folder || file.startsWith(`${folder}/`))?.folder;

/** Imports that lead out of a folder to where the table does not allow it. */
function forbidden(table: Folder[], isOutside: (imported: string) => boolean): string[] {
	return table.flatMap(({ folder, mayImport }) =>
		codeIn(folder).flatMap((file) =>
			importsOf(file)
				.filter(isOutside)
				.filter((imported) => folderOf(imported, table) !== folder)
				.filter((imported) => !mayImport.includes(folderOf(imported, table) ?? imported))
				.map((imported) => `${file} imports ${imported}`),
		),
	);
}

const subfolders = (folder: string): string[] =>
	readdirSync(path.join(rootFolder, folder), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => `${folder}/${name}`);

describe('CONTRIBUTING.md', () => {
	test('has every folder of the repository, and no other', () => {
		expect(folders.map(({ folder }) => folder).sort()).toEqual([...allFolders].sort());
	});

	test('has every folder with code', () => {
		const { include } = JSON.parse(textOf('tsconfig.check.json')) as { include: string[] };
		const checked = include.map((pattern) => pattern.split('/')[0]);
		expect(folders.map(({ folder }) => folder)).toEqual(expect.arrayContaining(checked));
	});

	test('has every room of the nodes, and no other', () => {
		expect(rooms.map(({ folder }) => folder).sort()).toEqual(subfolders(nodes).sort());
	});
});

describe('imports', () => {
	test('between folders are allowed by CONTRIBUTING.md', () => {
		const isFolder = (imported: string) => folderOf(imported, folders) !== undefined;
		expect(forbidden(folders, isFolder)).toEqual([]);
	});

	test('of packages by what is published are allowed by CONTRIBUTING.md', () => {
		// Lint allows every development package here.
		const published = folders.filter(({ folder }) => /^(nodes|credentials)$/.test(folder));
		expect(forbidden(published, isPackage)).toEqual([]);
	});

	test('between the rooms of the nodes are allowed by CONTRIBUTING.md', () => {
		expect(forbidden(rooms, (imported) => imported.startsWith('nodes/'))).toEqual([]);
	});

	test('make no circle of rooms', () => {
		const between = rooms.map(({ folder }) => {
			const targets = codeIn(folder).flatMap((file) =>
				importsOf(file).flatMap((imported) => folderOf(imported, rooms) ?? []),
			);
			return [folder, targets.filter((room) => room !== folder)] as const;
		});
		expect(inCircles(Object.fromEntries(between))).toEqual([]);
		expect(between.filter(([, targets]) => targets.length > 0).length).toBeGreaterThan(3);
	});
});
