import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { blocks } from '../support/docs/blocks';
import { documents, allFolders, isThere, textOf } from '../support/docs/files';
import { rootFolder } from '../../harness';
import { withBlock, writeTable } from '../../harness/docs';

/** All that a pattern with one group finds in the documents. */
const namedIn = (pattern: RegExp) =>
	documents.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([, name = '']) => name));

describe('what is made from the descriptions of the nodes', () => {
	test.each(blocks)('$name in $file is up to date', ({ file, name, content }) => {
		writeTable(name, content, file);
		const document = textOf(file);
		// If this fails: UPDATE_DOCS=1 npm run test:unit -- docs
		expect(withBlock(document, name, content)).toBe(document);
	});

	test('is all that is marked as fields', () => {
		const made = blocks.map(({ name }) => name).filter((name) => name.startsWith('fields:'));
		expect(namedIn(/<!--(fields:[^>]+)-->/g).sort()).toEqual(made.sort());
	});
});

test('the links between the documents lead to existing files and headings', async () => {
	const remark = path.join(rootFolder, 'node_modules/remark-cli/cli.js');
	const plugin = 'remark-validate-links=repository:false';
	const flags = ['--no-config', '--no-ignore', '--no-color', '--quiet', '--frail', '--no-stdout'];
	const args = [remark, ...flags, '--use', plugin, ...documents];
	const run = promisify(execFile)(process.execPath, args, { cwd: rootFolder });
	const { stderr } = await run.catch((failure: { stderr: string }) => failure);
	expect(stderr).toBe('');
});

test.each(['host', 'oldestHost'])('the versions of test/e2e/%s are in the documents', (folder) => {
	const manifest = JSON.parse(textOf(`test/e2e/${folder}/package.json`)) as {
		dependencies: Record<string, string>;
	};
	const { n8n, node } = manifest.dependencies;
	expect(textOf('docs/installation.md')).toContain(`| ${n8n} | ${node} |`);
	expect(textOf('README.md')).toContain(n8n);
});

test('the commands that the documents name exist', () => {
	const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
	const named = namedIn(/npm run ([\w:]+)/g);
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('the files that the documents name exist', () => {
	const named = namedIn(new RegExp(`\`((?:${allFolders.join('|')})/[\\w./-]+\\.\\w+)\``, 'g'));
	expect(named.length).toBeGreaterThan(20);
	// The checklist of CONTRIBUTING.md adds contacts as an example.
	expect(named.filter((name) => !isThere(name) && !name.includes('contact'))).toEqual([]);
});
