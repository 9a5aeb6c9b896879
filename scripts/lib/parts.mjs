import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { complain, foreground, foregroundNode, signals } from './command.mjs';
import {
	ensureChromium,
	ensureHost,
	ensureNewestHost,
	ensureServers,
	ensureTarball,
} from './install.mjs';
import { cacheFolder, newestHost, oldestHost, oldestHostSource, rootFolder } from './paths.mjs';

const own = ['unit', 'zod-4.0', 'zod-4.3', 'zod-4', 'fuzz', 'integration', 'honest'];

/** What `npm test` runs, in the order of speed; each gives how many tests passed and failed. */
export const parts = [
	// Each keeps one core busy.
	{ name: 'lint, types', run: async () => await checks('lint', 'typecheck') },
	// Together, so that no core waits for the slowest file of each.
	{ name: own.join(', '), run: async (args) => await jest(own, args) },
	// Side by side, because e2e waits most of its time: for n8n's minute and for what n8n tries again.
	{ name: 'e2e, editor', run: async (args) => await inEditor(['e2e', 'editor'], args) },
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

/**
 * Runs tests in a real n8n.
 * @param prepare installs that n8n
 */
async function inN8n(projects, args, prepare = ensureHost) {
	await prepare();
	await ensureTarball();
	return await jest(projects, ['--maxWorkers=3', ...args]);
}

async function inEditor(projects, args) {
	await ensureChromium();
	return await inN8n(projects, args);
}

/**
 * Runs parts one after the other, also after one that fails; not after a signal that asks to end.
 * @param args handed on to Jest
 * @returns the exit code
 */
export async function runParts(parts, args) {
	const done = [];
	let isStopped = false;
	for (const signal of signals) process.once(signal, () => (isStopped = true));
	for (const { name, run } of parts) {
		if (isStopped) break;
		console.log(`\n== ${name}`);
		const start = Date.now();
		const result = await run(args).catch((error) => outcome(complain(error)));
		done.push({ name, seconds: Math.round((Date.now() - start) / 1000), ...result });
	}
	console.log('');
	for (const { name, seconds, passed, failed, isCheck } of done) {
		const counts = isCheck ? (failed ? 'failed' : 'ok') : `${passed} passed, ${failed} failed`;
		console.log(`${name.padEnd(24)} ${counts.padEnd(24)} ${seconds} s`);
	}
	for (const { name } of parts.slice(done.length)) console.log(`${name.padEnd(24)} not run`);
	const sum = (key) => done.reduce((total, result) => total + result[key], 0);
	console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
	return isStopped || sum('failed') > 0 ? 1 : 0;
}

async function checks(...scripts) {
	const run = async (script) => await foreground('npm', ['run', '--silent', script]);
	const codes = await Promise.all(scripts.map(run));
	return outcome(codes.find((code) => code !== 0) ?? 0);
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
