import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageName, rootFolder, tarballPath } from '../../harness';
import { textOf } from '../support/docs/files';

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
	env?: Record<string, string>;
}

interface Workflow {
	permissions?: Record<string, string>;
	jobs: Record<string, { needs?: unknown; permissions?: Record<string, string>; steps: Step[] }>;
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

test('a job that runs no scripts of packages makes the file; the tests use it, and npm publishes it', () => {
	const { build, test: testing, publish, ...others } = read('publish.yml').jobs;
	const commands = (job = build) => job?.steps.flatMap(({ run }) => run ?? []) ?? [];
	expect(others).toEqual({});
	expect(build?.permissions).toEqual({ contents: 'read' });
	expect(commands()[0]).toBe('git merge-base --is-ancestor HEAD origin/main');
	expect(commands().slice(2, 5)).toEqual([
		'npm ci --ignore-scripts',
		'npm audit signatures',
		'node scripts/pack.mjs',
	]);
	expect(testing).toMatchObject({ needs: 'build', permissions: { contents: 'read' } });
	const check = (file: string) => `echo "$SHA256 ${file}" | sha256sum --check`;
	const tarball = `${packageName}.tgz`;
	const used = check(path.relative(rootFolder, tarballPath));
	expect(commands(testing)).toEqual(['.ci/run', used, 'npm audit signatures']);
	expect(testing?.steps.some(({ uses }) => uses?.includes('upload-artifact'))).toBe(false);
	expect(publish).toMatchObject({ needs: ['build', 'test'], permissions: { 'id-token': 'write' } });
	expect(commands(publish)).toEqual([
		check(tarball),
		`npm publish ./${tarball} --provenance --access public`,
	]);
	for (const { run = '', env } of [testing, publish].flatMap((job) => job?.steps ?? [])) {
		if (run.includes('SHA256'))
			expect(env).toEqual({ SHA256: '${{ needs.build.outputs.sha256 }}' });
	}
});
