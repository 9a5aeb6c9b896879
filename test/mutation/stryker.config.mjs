/** The room of nodes/MessagingService to mutate; `npm run test:mutation` takes one after the other. */
const room = process.env.MUTATED_ROOM;
if (!room) throw new Error('MUTATED_ROOM is not set: run "npm run test:mutation"');

const reports = `.cache/mutation/${room}`;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: [`nodes/MessagingService/${room}/**/*.ts`],
	testRunner: 'jest',
	jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
	plugins: ['@stryker-mutator/jest-runner'],
	coverageAnalysis: 'perTest',
	// Texts and tables that are read when a module is loaded cannot be switched for one test.
	ignoreStatic: true,
	incremental: true,
	incrementalFile: `${reports}/incremental.json`,
	// A slow machine must not be taken for an endless loop.
	timeoutMS: 20_000,
	dryRunTimeoutMinutes: 20,
	concurrency: 2,
	thresholds: { high: 95, low: 90, break: 90 },
	reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
	clearTextReporter: { reportTests: false, allowColor: false },
	jsonReporter: { fileName: `${reports}/mutation.json` },
	htmlReporter: { fileName: `${reports}/mutation.html` },
	tempDirName: '.cache/stryker',
	// Also after a run that failed: the linters would read it.
	cleanTempDir: 'always',
	ignorePatterns: ['.cache', 'dist', 'docs/images'],
	allowEmpty: false,
};
