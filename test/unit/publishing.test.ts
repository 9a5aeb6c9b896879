import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageName, rootFolder } from '../../harness';
import { textOf } from '../support/docs/files';

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Workflow {
	permissions?: Record<string, string>;
	jobs: Record<string, { needs?: unknown; permissions?: Record<string, string>; steps: Step[] }>;
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
});

test('the job that publishes runs npm alone, on the file that one job has built and another tested', () => {
	const { build, test: testing, publish, ...others } = read('publish.yml').jobs;
	expect(others).toEqual({});
	for (const job of [build, testing]) expect(job?.permissions).toEqual({ contents: 'read' });
	expect(testing?.steps.some(({ uses }) => uses?.includes('upload-artifact'))).toBe(false);
	expect(publish).toMatchObject({ needs: ['build', 'test'], permissions: { 'id-token': 'write' } });
	expect(publish?.steps.flatMap(({ run }) => run ?? [])).toEqual([
		`echo "$SHA256 ${packageName}.tgz" | sha256sum --check`,
		`npm publish ./${packageName}.tgz --provenance --access public`,
	]);
});
