import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command, rootFolder } from '../../harness';
import { unpack } from '../../harness/tarballs';

/** n8n's own scan of community packages; it must pass before n8n lists a package. */
async function scan(
	folder: string,
	files = "['**/*.js', 'package.json']",
): Promise<{ passed: boolean; details?: string }> {
	const program = `
		import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
		console.log(JSON.stringify(await analyzePackage(${JSON.stringify(folder)}, ${files})));
	`;
	// In a process of its own: in Jest's the rules would look for another parser than theirs.
	// And under Jest's NODE_ENV n8n's rules take every file for a node of their own tests.
	const command = new Command(['--input-type=module', '--eval', program], {
		cwd: rootFolder,
		env: { NODE_ENV: 'production' },
	});
	expect(await command.end()).toBe(0);
	return JSON.parse(command.stdout) as { passed: boolean; details?: string };
}

test('the packed files pass', async () => {
	expect(await scan(unpack())).toEqual({ passed: true });
});

// Among them the codex files, whose category HITL n8n does not document.
test('the sources pass, as n8n lints those that a package was built from', async () => {
	expect(await scan(rootFolder, 'SOURCE_FILE_PATTERNS')).toEqual({ passed: true });
});

test('the scan finds what n8n forbids', async () => {
	const folder = unpack();
	const file = path.join(folder, 'dist/nodes/MessagingService/forbidden.js');
	writeFileSync(file, "require('node:fs'); console.log(process.env);\n");
	const { passed, details } = await scan(folder);
	expect(passed).toBe(false);
	expect(details).toContain('forbidden.js');
});
