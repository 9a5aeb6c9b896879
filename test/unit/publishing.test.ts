import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageName, rootFolder, tarballPath } from '../../harness';
import { textOf } from '../support/docs/files';

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	needs?: string;
	environment?: string;
	permissions?: Record<string, string>;
	steps: Step[];
}

interface Workflow {
	on: unknown;
	permissions?: Record<string, string>;
	jobs: Record<string, Job>;
}

const folder = '.github/workflows';
const read = (file: string) => parse(textOf(`${folder}/${file}`)) as Workflow;

const { on, permissions, jobs } = read('publish.yml');
const { test: testing, publish: publishing, ...others } = jobs as Record<'publish' | 'test', Job>;
const commands = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);
const action = ({ steps }: Job, name: string) =>
	steps.find(({ uses }) => uses?.startsWith(`actions/${name}@`))?.with;

test.each(readdirSync(path.join(rootFolder, folder)))(
	'%s takes actions by their commits, no token by default and no secret',
	(file) => {
		const text = textOf(`${folder}/${file}`);
		expect(text).not.toMatch(/secrets\.|pull_request_target|write-all/);
		const workflow = read(file);
		const uses = Object.values(workflow.jobs).flatMap(({ steps }) =>
			steps.flatMap((step) => step.uses ?? []),
		);
		expect(uses).not.toEqual([]);
		for (const one of uses) expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
		for (const checkout of Object.values(workflow.jobs).map((job) => action(job, 'checkout'))) {
			if (checkout) expect(checkout).toMatchObject({ 'persist-credentials': false });
		}
		expect(Object.values(workflow.permissions ?? { all: 'write' })).not.toContain('write');
	},
);

describe('publishing', () => {
	it('starts for tags only', () => {
		expect(on).toEqual({ push: { tags: [expect.any(String)] } });
		expect(permissions).toEqual({});
		expect(others).toEqual({});
	});

	it('tests without the right to publish', () => {
		expect(testing.permissions).toEqual({ contents: 'read' });
	});

	it('goes on for versions on main only, before any code of others is run', () => {
		const [onMain, isVersion, install] = commands(testing);
		expect(action(testing, 'checkout')).toMatchObject({ 'fetch-depth': 0 });
		expect(onMain).toBe('git merge-base --is-ancestor HEAD origin/main');
		expect(isVersion).toMatch(/^test "\$GITHUB_REF_NAME" = .*version/);
		expect(install).toBe('npm ci');
	});

	it('hands over the file that the tests have packed', () => {
		const run = commands(testing);
		expect(run).toContain('.ci/run');
		expect(run.indexOf('npm audit signatures')).toBeLessThan(run.indexOf('.ci/run'));
		expect(run).toContain('npm audit signatures');
		expect(testing.steps.at(-1)?.with).toMatchObject({
			name: 'package',
			path: path.relative(rootFolder, tarballPath),
			'if-no-files-found': 'error',
			// Its folder begins with a dot.
			'include-hidden-files': true,
		});
	});

	it('publishes that file, and runs nothing else where it may', () => {
		expect(publishing).toMatchObject({ needs: 'test', environment: 'npm' });
		expect(publishing.permissions).toEqual({ 'id-token': 'write' });
		expect(action(publishing, 'checkout')).toBeUndefined();
		expect(action(publishing, 'download-artifact')).toEqual({ name: 'package' });
		const publish = `npm publish ./${packageName}.tgz --provenance --access public`;
		expect(commands(publishing)).toEqual([publish]);
	});
});
