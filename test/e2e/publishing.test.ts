import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { Command, rootFolder, tarballPath, tempFolder } from '../../harness';

interface Step {
	uses?: string;
	with?: { path?: string };
	run?: string;
	env?: Record<string, string>;
}

const { jobs } = parse(
	readFileSync(path.join(rootFolder, '.github/workflows/publish.yml'), 'utf8'),
) as { jobs: Record<'build' | 'publish' | 'release' | 'test', { steps: Step[] }> };

/** Every `npm test` runs these: they fetch packages, build and pack the package, and test it. */
const ofTests = /^(npm ci|npm audit|node scripts\/pack|\.ci\/run)/;
const version = '7.8.9';
const entry = '- Something new.\n- And something else.';
const changelog = `# Changelog\n\n## ${version} (2027-01-31)\n\n${entry}\n\n## 0.1.0 (2026-12-01)\n\n- The first.\n`;

const tarball = path.relative(rootFolder, tarballPath);

/** A clone at a tag of main, with the package that the build job packs. */
let clone: string;
/** What the build job hands over to the others. */
const artifact = '.cache/package';
/** Calls of GitHub's program. */
const releases = () => readFileSync(path.join(clone, 'gh.log'), 'utf8');

/** Writes a file of the clone, or copies it from this one. */
function put(name: string, content: string | Buffer = readFileSync(path.join(rootFolder, name))) {
	const file = path.join(clone, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, content, { mode: 0o755 });
}

beforeEach(() => {
	clone = mkdtempSync(path.join(tempFolder, 'publishing-'));
	cpSync(path.join(rootFolder, 'scripts'), path.join(clone, 'scripts'), { recursive: true });
	put('harness/endWithParent.mjs');
	put('package.json', JSON.stringify({ version }));
	put('CHANGELOG.md', changelog);
	put(tarball);
	// It lets Git look at the working directory first, as GitHub's program does.
	put(
		'programs/gh',
		`#!/bin/sh
git status >&2
{ printf '%s\\n' "$@"; for notes; do :; done; cat "$notes"; } >> '${path.join(clone, 'gh.log')}'
`,
	);
	// Without an account of npm and a place for the statement, it can be tried only.
	put('programs/npm', '#!/bin/sh\nPATH="${PATH#*:}" exec npm "$@" --dry-run --provenance=false\n');
	git('init', '--quiet', '--initial-branch=main');
	git('add', 'package.json');
	commit('first');
	git('update-ref', 'refs/remotes/origin/main', 'main');
});

afterEach(() => rmSync(clone, { recursive: true }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: clone });
const commit = (message: string) => {
	const author = ['-c', 'user.name=Test', '-c', 'user.email=test@host.example'];
	git(...author, 'commit', '--quiet', '--allow-empty', '--no-gpg-sign', '-m', message);
};

/**
 * Runs the commands of a job as GitHub does: in the clone if the job checks it out, otherwise in an empty folder.
 * @returns the outputs of its steps, by name
 * @throws with a command's own words if it fails
 */
async function runJob(
	job: keyof typeof jobs,
	outputs: Record<string, string> = {},
	tag = version,
): Promise<Record<string, string>> {
	const { steps } = jobs[job];
	const isCheckedOut = steps.some(({ uses }) => uses?.includes('/checkout@'));
	const cwd = isCheckedOut ? clone : mkdtempSync(path.join(clone, 'job-'));
	const outputFile = path.join(clone, 'outputs');
	writeFileSync(outputFile, '');
	for (const { uses, with: own, run, env = {} } of steps) {
		const target = path.join(cwd, own?.path ?? '');
		if (uses?.includes('/download-artifact@') && !isCheckedOut)
			cpSync(path.join(clone, artifact), target, { recursive: true });
		if (!run || ofTests.test(run)) continue;
		const filledIn = Object.entries(env).map(([name, value]) => [
			name,
			value.replace(
				/\$\{\{ needs\.build\.outputs\.(\w+) \}\}/,
				(_, output: string) => outputs[output] ?? '',
			),
		]);
		const command = new Command(['-e', '-o', 'pipefail', '-c', run], {
			program: 'bash',
			cwd,
			env: {
				...(Object.fromEntries(filledIn) as Record<string, string>),
				GITHUB_REF_NAME: tag,
				GITHUB_OUTPUT: outputFile,
				// Not this repository's own, which is around all.
				GIT_CEILING_DIRECTORIES: cwd === clone ? path.dirname(clone) : clone,
				PATH: [path.join(clone, 'programs'), process.env.PATH].join(path.delimiter),
			},
		});
		if ((await command.end()) !== 0) throw new Error(`${run}: ${command.stdout}${command.stderr}`);
		published += command.stdout + command.stderr;
	}
	const lines = readFileSync(outputFile, 'utf8').trim().split('\n');
	return Object.fromEntries(lines.map((line) => line.split('='))) as Record<string, string>;
}

/** What the commands have written. */
let published = '';

test('a tag publishes the built file, and makes a release with the entry of the changelog', async () => {
	published = '';
	const outputs = await runJob('build');
	for (const job of ['publish', 'release'] as const) await runJob(job, outputs);
	expect(published).toMatch(/\+ n8n-nodes-messaging-service@\d/);
	const file = `package/${path.basename(tarballPath)}`;
	const args = ['release', 'create', version, file, '--verify-tag', '--title', version];
	expect(releases()).toBe([...args, '--notes-file', 'package/notes.md', entry, ''].join('\n'));
});

test('files that a test adds to the built ones neither redirect npm nor run a program', async () => {
	published = '';
	const outputs = await runJob('build');
	put(`${artifact}/package.json`, '{}');
	put(`${artifact}/.npmrc`, 'registry=http://attacker.example/\n');
	put('programs/attack', '#!/bin/sh\necho attacked\n');
	const folder = path.join(clone, artifact);
	execFileSync('git', ['init', '--quiet'], { cwd: folder });
	const program = path.join(clone, 'programs/attack');
	execFileSync('git', ['config', 'core.fsmonitor', `${program} >&2; false`], { cwd: folder });
	for (const job of ['publish', 'release'] as const) await runJob(job, outputs);
	expect(published).toMatch(/\+ n8n-nodes-messaging-service@\d/);
	expect(published).toContain('Publishing to http');
	expect(published).not.toMatch(/attack/);
});

const undated = () => put('CHANGELOG.md', `## ${version} (unreleased)\n\n- New.\n`);

test.each([
	['is not on main', 'merge-base', version, () => commit('not on main')],
	['is not the version', 'GITHUB_REF_NAME', '7.8.8', () => {}],
	['has no entry with a date', `Give CHANGELOG.md an entry for ${version}`, version, undated],
])('a tag that %s publishes nothing', async (_what, message, tag, change) => {
	change();
	await expect(runJob('build', {}, tag)).rejects.toThrow(message);
});

test.each([
	['test', tarball],
	['publish', tarball],
	['release', tarball],
	['release', `${artifact}/notes.md`],
] as const)('%s rejects another %s', async (job, file) => {
	const outputs = await runJob('build');
	put(file, 'another');
	await expect(runJob(job, outputs)).rejects.toThrow('FAILED');
});
