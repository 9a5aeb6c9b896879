import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { rootFolder } from '../../harness';
import { textOf } from '../support/docs/files';

interface Workflow {
	permissions?: Record<string, string>;
	jobs: Record<
		string,
		{
			permissions?: Record<string, string>;
			steps: Array<{ uses?: string; with?: Record<string, unknown> }>;
		}
	>;
}

const folder = '.github/workflows';
const read = (file: string) => parse(textOf(`${folder}/${file}`)) as Workflow;

const files = readdirSync(path.join(rootFolder, folder));

test.each(files)('%s pins actions, and has no token that can write', (file) => {
	const { jobs, permissions } = read(file);
	expect(textOf(`${folder}/${file}`)).not.toMatch(/secrets\.|pull_request_target|write-all/);
	expect(Object.values(permissions ?? { all: 'write' })).not.toContain('write');
	for (const { uses = '', with: own } of Object.values(jobs).flatMap(({ steps }) => steps)) {
		expect(uses).toMatch(/^([\w-]+\/[\w-]+@[0-9a-f]{40})?$/);
		if (uses.includes('/checkout@')) expect(own).toMatchObject({ 'persist-credentials': false });
	}
	// A job with such a token of its own runs no code of the repository and its packages.
	for (const { permissions: own = {}, steps } of Object.values(jobs)) {
		const isWriting = Object.values(own).includes('write');
		expect(isWriting && steps.some(({ uses }) => uses?.includes('/checkout@'))).toBe(false);
	}
});

test("the package is linted with n8n's own configuration, unchanged", () => {
	const made =
		'node_modules/@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';
	expect(textOf('eslint.config.mjs')).toBe(textOf(made));
});
