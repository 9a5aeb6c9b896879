import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { Command, rootFolder, tarballPath, tempFolder } from '../../harness';

interface Step {
	run?: string;
	id?: string;
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
const artifact = () => path.join(clone, '.cache/package');
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
	put(
		'programs/gh',
		'#!/bin/sh\nprintf "%s\\n" "$@" >> ../../gh.log\ncat notes.md >> ../../gh.log\n',
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
 * Runs the commands of a job as GitHub does.
 * @returns the outputs of its steps, by name
 * @throws with a command's own words if it fails
 */
async function runJob(
	job: keyof typeof jobs,
	cwd: string,
	outputs: Record<string, string> = {},
	tag = version,
): Promise<Record<string, string>> {
	const outputFile = path.join(clone, 'outputs');
	writeFileSync(outputFile, '');
	for (const { run, env = {} } of jobs[job].steps) {
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
	const outputs = await runJob('build', clone);
	for (const job of ['publish', 'release'] as const) await runJob(job, artifact(), outputs);
	expect(published).toMatch(/\+ n8n-nodes-messaging-service@\d/);
	const file = path.basename(tarballPath);
	const args = ['release', 'create', version, file, '--verify-tag', '--title', version];
	expect(releases()).toBe([...args, '--notes-file', 'notes.md', entry, ''].join('\n'));
});

const undated = () => put('CHANGELOG.md', `## ${version} (unreleased)\n\n- New.\n`);

test.each([
	['is not on main', 'merge-base', version, () => commit('not on main')],
	['is not the version', 'GITHUB_REF_NAME', '7.8.8', () => {}],
	['has no entry with a date', `Give CHANGELOG.md an entry for ${version}`, version, undated],
])('a tag that %s publishes nothing', async (_what, message, tag, change) => {
	change();
	await expect(runJob('build', clone, {}, tag)).rejects.toThrow(message);
});

test.each(['test', 'publish', 'release'] as const)('%s rejects another file', async (job) => {
	const outputs = await runJob('build', clone);
	put(tarball, 'another');
	const cwd = job === 'test' ? clone : artifact();
	await expect(runJob(job, cwd, outputs)).rejects.toThrow('FAILED');
});
