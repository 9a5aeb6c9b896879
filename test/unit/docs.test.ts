import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { map } from 'lodash';
import { example, exampleFiles } from '../../scripts/start/examples';
import { described, labelOf, texts } from '../support/descriptions';
import { blocks } from '../support/docs/blocks';
import { documents, filesIn, allFolders, isThere, textOf } from '../support/docs/files';
import { rootFolder } from '../../harness';
import { withBlock, writeTable } from '../../harness/docs';

describe('what is made from the descriptions of the nodes', () => {
	test.each(blocks)('$name in $file is up to date', ({ file, name, content }) => {
		writeTable(name, content, file);
		const document = textOf(file);
		// If this fails: UPDATE_DOCS=1 npm run test:unit -- docs
		expect(withBlock(document, name, content)).toBe(document);
	});

	test('is all that is marked as fields', () => {
		const marked = documents.flatMap((file) =>
			[...textOf(file).matchAll(/<!--(fields:[^>]+)-->/g)].map(([, name]) => name),
		);
		const made = blocks.map(({ name }) => name).filter((name) => name.startsWith('fields:'));
		expect(marked.sort()).toEqual(made.sort());
	});
});

test('the links between the documents lead to files and headings that are there', async () => {
	const remark = path.join(rootFolder, 'node_modules/remark-cli/cli.js');
	const plugin = 'remark-validate-links=repository:false';
	const flags = ['--no-config', '--no-ignore', '--no-color', '--quiet', '--frail', '--no-stdout'];
	const args = [remark, ...flags, '--use', plugin, ...documents];
	const run = promisify(execFile)(process.execPath, args, { cwd: rootFolder });
	const { stderr } = await run.catch((failure: { stderr: string }) => failure);
	expect(stderr).toBe('');
});

/** Names that n8n itself shows, and those of the service's dashboard. */
const otherNames = [
	...['Community nodes', 'Connect to Messaging Service', 'Add Parameter', 'Save', 'Settings'],
	...['Retry with currently saved workflow'],
	...['Execute previous nodes', 'Execute step', 'Execute workflow', 'Install', 'On Error'],
	...[
		'Webhook URLs',
		'Open chat',
		'publish',
		'Publish',
		'Remove Duplicates',
		'Report a vulnerability',
		'Retry',
	],
	...['Retry On Fail', 'Security', 'Timezone', 'API Keys'],
];

describe('names in bold', () => {
	const shown = [...map(described, 'displayName'), ...texts.map(({ entry }) => labelOf(entry))];
	const bold = /\*\*([^*\n]+)\*\*/g;
	const unknown = (text: string, own: string[] = []): string[] => {
		const known = new Set([...shown, ...otherNames, ...own]);
		return (
			[...text.matchAll(bold)]
				.map(([, name]) => name ?? '')
				// Sentences and the headings of lists are no names.
				.filter((name) => !/[.:]$/.test(name))
				.flatMap((name) => name.split(' > '))
				.filter((name) => !known.has(name))
		);
	};

	test.each(documents.filter((file) => !file.startsWith('sandbox') && file !== 'CHANGELOG.md'))(
		'of %s are shown by the editor',
		(file) => expect(unknown(textOf(file))).toEqual([]),
	);

	test.each(exampleFiles())('in the notes of %s are shown by the editor', (file) => {
		const { nodes } = example(file);
		const notes = nodes.map(({ parameters }) => String(parameters.content ?? '')).join('\n');
		const names = nodes.map(({ name }) => name);
		expect(unknown(notes, names)).toEqual([]);
	});
});

test('the messages of docs/troubleshooting.md are those of the package and the service', () => {
	const sources = ['nodes', 'credentials', 'sandbox'].flatMap((folder) =>
		filesIn(folder, /\.ts$/).map(textOf),
	);
	const source = sources.join('\n').replace(/\\'/g, "'");
	const quoted = [
		...textOf('docs/troubleshooting.md').matchAll(/^- `([^`]+)`(?: \(\d+\))?: /gm),
	].map(([, message]) => message ?? '');
	expect(quoted.length).toBeGreaterThan(10);
	// An ellipsis stands for what differs from case to case.
	const missing = quoted.filter((message) =>
		message.split('…').some((part) => !source.includes(part.trim())),
	);
	expect(missing).toEqual([]);
});

test.each(['host', 'oldestHost'])('the versions of test/e2e/%s are in the documents', (folder) => {
	const manifest = JSON.parse(textOf(`test/e2e/${folder}/package.json`)) as {
		dependencies: Record<string, string>;
	};
	const { n8n, node } = manifest.dependencies;
	expect(textOf('docs/installation.md')).toContain(`| ${n8n} | ${node} |`);
	expect(textOf('README.md')).toContain(n8n);
});

test('the README is one page', () => {
	expect(textOf('README.md').split(/\s+/).length).toBeLessThanOrEqual(1000);
});

test('the commands that the documents name are there', () => {
	const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
	const named = documents.flatMap((file) =>
		[...textOf(file).matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => `${file}: ${script}`),
	);
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((name) => !((name.split(': ')[1] ?? '') in scripts))).toEqual([]);
});

test('the files that the documents name are there', () => {
	const inClone = new RegExp(`\`((?:${allFolders.join('|')})/[\\w./-]+\\.\\w+)\``, 'g');
	const named = documents.flatMap((file) =>
		[...textOf(file).matchAll(inClone)].map(([, name = '']) => name),
	);
	expect(named.length).toBeGreaterThan(20);
	// The checklist of CONTRIBUTING.md adds contacts as an example.
	const missing = named.filter((name) => !isThere(name) && !name.includes('contact'));
	expect(missing).toEqual([]);
});
