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
	jobs: Record<string, { permissions?: Record<string, string>; steps: Step[] }>;
}

const folder = '.github/workflows';
const read = (file: string) => parse(textOf(`${folder}/${file}`)) as Workflow;

test.each(readdirSync(path.join(rootFolder, folder)))(
	'%s pins actions to commits, and has no secret and no token that can write',
	(file) => {
		const { jobs, permissions } = read(file);
		expect(textOf(`${folder}/${file}`)).not.toMatch(/secrets\.|pull_request_target|write-all/);
		expect(Object.values(permissions ?? { all: 'write' })).not.toContain('write');
		for (const { uses = '', with: own } of Object.values(jobs).flatMap(({ steps }) => steps)) {
			expect(uses).toMatch(/^([\w-]+\/[\w-]+@[0-9a-f]{40})?$/);
			if (uses.startsWith('actions/checkout@')) {
				expect(own).toMatchObject({ 'persist-credentials': false });
			}
		}
	},
);

test('the job that may publish runs nothing but npm, on the file that was tested', () => {
	const { test: testing, publish } = read('publish.yml').jobs;
	expect(testing?.permissions).toEqual({ contents: 'read' });
	expect(publish?.permissions).toEqual({ 'id-token': 'write' });
	expect(publish?.steps.flatMap(({ run }) => run ?? [])).toEqual([
		`npm publish ./${packageName}.tgz --provenance --access public`,
	]);
});
