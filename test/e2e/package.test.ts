import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Command, rootFolder, tempFolder } from '../../harness';
import { tarballPath } from '../../harness/paths';

let folder: string;

// The tarball is what is published and what n8n installs.
beforeAll(() => {
	folder = mkdtempSync(path.join(tempFolder, 'package-'));
	execFileSync('tar', ['-xzf', tarballPath, '-C', folder]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All files of a folder, with slashes, relative to its parent. */
const filesOf = (root: string, name: string): string[] =>
	readdirSync(path.join(root, name), { withFileTypes: true }).flatMap((entry) =>
		entry.isDirectory() ? filesOf(root, `${name}/${entry.name}`) : [`${name}/${entry.name}`],
	);

const packed = (name: string): string => readFileSync(path.join(folder, 'package', name), 'utf8');

test('holds the compiled nodes and credentials, icons, codex files and documents, nothing else', () => {
	const compiled = ['nodes', 'credentials', 'icons']
		.flatMap((name) => filesOf(rootFolder, name))
		.filter((name) => !name.endsWith('.md'))
		.map((name) => `package/dist/${name.replace(/\.ts$/, '.js')}`);
	const names = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
	const documents = names.map((name) => `package/${name}`);
	expect(filesOf(folder, 'package').sort()).toEqual([...documents, ...compiled].sort());
	expect(compiled.every((name) => /\.(js|json|svg)$/.test(name))).toBe(true);
});

test('brings no package and runs no script when it is installed', () => {
	const { scripts, ...manifest } = JSON.parse(packed('package.json')) as Record<string, object>;
	const installing = Object.keys(scripts ?? {}).filter((name) =>
		/^(pre|post)?(install|prepare|publish|pack)|^dependencies$/.test(name),
	);
	expect(installing).toEqual([]);
	const dependencies = Object.keys(manifest).filter((name) => /dependencies$/i.test(name));
	expect(dependencies.sort()).toEqual(['devDependencies', 'peerDependencies']);
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
});

test('holds no source map, no path of the machine that built it and no key', () => {
	for (const name of filesOf(path.join(folder, 'package'), 'dist')) {
		const text = packed(name);
		expect(text).not.toMatch(/sourceMappingURL|msk_|whsec_|BEGIN [A-Z ]*PRIVATE KEY/);
		expect(text).not.toContain(rootFolder);
	}
});

// n8n lists a package only if its own scan passes, of the packed files and of the sources.
test("the packed files and the sources pass n8n's scan", async () => {
	const program = `
		import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
		console.log(JSON.stringify([
			await analyzePackage(${JSON.stringify(path.join(folder, 'package'))}, ['**/*.js', 'package.json']),
			await analyzePackage(${JSON.stringify(rootFolder)}, SOURCE_FILE_PATTERNS),
		]));
	`;
	// In a process of its own: in Jest's the rules would look for another parser than theirs.
	// And under Jest's NODE_ENV n8n's rules take every file for a node of their own tests.
	const env = { NODE_ENV: 'production' };
	const command = new Command(['--input-type=module', '--eval', program], { env });
	expect(await command.end()).toBe(0);
	expect(JSON.parse(command.stdout)).toEqual([{ passed: true }, { passed: true }]);
});
