import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { complain, foreground, foregroundNode, signals } from './command.mjs';
import { ensureHost, ensureNewestHost } from './install.mjs';
import { ensureTarball } from './package.mjs';
import { cacheFolder, newestHost, oldestHost, oldestHostSource, rootFolder } from './paths.mjs';
import { ensureChromium, ensureGit, ensureServers } from './programs.mjs';

const own = ['unit', 'zod-4.0', 'zod-4.3', 'zod-4', 'fuzz', 'integration', 'honest'];

/** What `npm test` runs: one row after the other, and the parts of a row side by side. Each counts its tests. */
export const rows = [
	// Together, so that no core waits for the slowest file of each.
	[{ name: own.join(', '), run: async (args) => await jest(own, args) }],
	[
		// e2e waits most of its time, for n8n's minute and for what n8n tries again: there is time for the others.
		{ name: 'e2e, editor', run: async (args) => await inEditor(['e2e', 'editor'], args) },
		{
			name: 'lint, types, format',
			run: async () => await checks('lint', 'typecheck', 'format:check'),
		},
	],
];

/** Parts that run only when they are named: alone, or because they take long. */
export const extraParts = [
	...own.map((name) => ({ name, run: async (args) => await jest([name], args) })),
	{ name: 'e2e', run: async (args) => await inN8n(['e2e'], args) },
	{ name: 'editor', run: async (args) => await inEditor(['editor'], args) },
	{ name: 'bench', run: bench },
	{
		name: 'compat',
		run: async (args) => {
			const ensureOldest = async () => await ensureHost(oldestHostSource, oldestHost);
			// Neither the packed files nor `npm start` depend on the n8n.
			const all = [...args, '--testPathIgnorePatterns=test/e2e/(package|startup)'];
			process.env.N8N_HOST_FOLDER = oldestHost;
			const oldest = await inN8n(['e2e'], all, ensureOldest);
			if (!(await ensureNewestHost())) return oldest;
			process.env.N8N_HOST_FOLDER = newestHost;
			const newest = await inN8n(['e2e'], all, async () => {});
			return { passed: oldest.passed + newest.passed, failed: oldest.failed + newest.failed };
		},
	},
	{
		name: 'scale',
		run: async (args) => {
			await ensureServers();
			await ensureHost();
			await ensureTarball();
			// Each file starts a test bed of its own that fills the machine. If one doesn't start, the rest of it
			// would keep Jest from ending.
			return await jest(['scale'], ['--runInBand', '--forceExit', ...args]);
		},
	},
];

/** The benchmark, or with `faults` the tables of docs/reliability.md beside n8n's HTTP Request node. */
async function bench([first, ...others]) {
	if (first === 'faults') {
		process.env.UPDATE_DOCS = '1';
		return await inN8n(['e2e'], ['reliability', ...others]);
	}
	await ensureHost();
	await ensureTarball();
	const args = ['--import', 'tsx', 'bench/main.ts', ...(first ? [first] : []), ...others];
	return outcome(await foregroundNode(args));
}

/** Looks for the programs that `npm test` needs, and installs them where that is possible. */
export async function ensurePrograms() {
	await ensureGit();
	await ensureChromium();
}

/**
 * Runs tests in a real n8n.
 * @param prepare installs that n8n
 */
async function inN8n(projects, args, prepare = ensureHost) {
	await ensureGit();
	await prepare();
	await ensureTarball();
	return await jest(projects, ['--maxWorkers=3', ...args]);
}

async function inEditor(projects, args) {
	await ensureChromium();
	return await inN8n(projects, args);
}

/**
 * Runs rows of parts one after the other, also after one that fails; not after a signal that asks to end.
 * @param args handed on to Jest
 * @returns the exit code
 */
export async function runRows(rows, args) {
	const done = [];
	let isStopped = false;
	for (const signal of signals) process.once(signal, () => (isStopped = true));
	const runPart = async ({ name, run }) => {
		console.log(`\n== ${name}`);
		const start = Date.now();
		const result = await run(args).catch((error) => outcome(complain(error)));
		done.push({ name, seconds: Math.round((Date.now() - start) / 1000), ...result });
	};
	for (const row of rows) if (!isStopped) await Promise.all(row.map(runPart));
	console.log('');
	for (const { name, seconds, passed, failed, isCheck } of done) {
		const counts = isCheck ? (failed ? 'failed' : 'ok') : `${passed} passed, ${failed} failed`;
		console.log(`${name.padEnd(24)} ${counts.padEnd(24)} ${seconds} s`);
	}
	const missing = rows.flat().filter(({ name }) => !done.some((part) => part.name === name));
	for (const { name } of missing) console.log(`${name.padEnd(24)} not run`);
	const sum = (key) => done.reduce((total, result) => total + result[key], 0);
	console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
	return isStopped || sum('failed') > 0 ? 1 : 0;
}

/** One after the other, so that they keep one core busy. */
async function checks(...scripts) {
	let failed = 0;
	for (const script of scripts) failed ||= await foreground('npm', ['run', '--silent', script]);
	return outcome(failed);
}

const outcome = (code) => ({ passed: 0, failed: code === 0 ? 0 : 1, isCheck: true });

async function jest(projects, args) {
	const outputFile = path.join(cacheFolder, `jest-${projects.join('-')}.json`);
	rmSync(outputFile, { force: true });
	const code = await foregroundNode([
		path.join(rootFolder, 'node_modules/jest/bin/jest.js'),
		'--config=test/jest.config.js',
		...args,
		// Options last: a file pattern right after this one would be taken for a project.
		'--selectProjects',
		...projects,
		'--json',
		`--outputFile=${outputFile}`,
	]);
	// A part that executed nothing, or whose files could not even be loaded, has failed.
	const report = existsSync(outputFile) ? JSON.parse(readFileSync(outputFile, 'utf8')) : {};
	const passed = report.numPassedTests ?? 0;
	const broken = (report.numFailedTests ?? 0) + (report.numRuntimeErrorTestSuites ?? 0);
	const isGood = code === 0 && passed > 0;
	return { passed, failed: isGood ? broken : Math.max(broken, 1) };
}
