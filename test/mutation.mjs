import jest from './jest.config.js';

/** Without the tests of documents, which read the sources that StrykerJS has changed, and those of the scripts. */
const testMatch = ['<rootDir>/test/unit/*/**/*.test.ts', '!**/test/unit/scripts/**'];

const unit = jest.projects.find(({ displayName }) => displayName === 'unit');

/**
 * Whether the unit tests notice changes of the nodes, by hand and room by room:
 * `npm run test:mutation -- --mutate 'nodes/MessagingService/polling/**'`.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	mutate: ['nodes/MessagingService/**/*.ts'],
	testRunner: 'jest',
	// Without the other projects, which start n8n.
	jest: {
		projectType: 'custom',
		config: { ...unit, rootDir: undefined, testMatch, testTimeout: jest.testTimeout, projects: [] },
	},
	plugins: ['@stryker-mutator/jest-runner'],
	coverageAnalysis: 'perTest',
	// Texts and tables that are read when a module is loaded cannot be switched for one test.
	ignoreStatic: true,
	incremental: true,
	incrementalFile: '.cache/mutation/incremental.json',
	timeoutMS: 20_000,
	dryRunTimeoutMinutes: 20,
	concurrency: 2,
	thresholds: { high: 95, low: 90, break: 90 },
	reporters: ['clear-text', 'progress-append-only', 'html'],
	clearTextReporter: { reportTests: false, allowColor: false },
	htmlReporter: { fileName: '.cache/mutation/mutation.html' },
	tempDirName: '.cache/stryker',
	ignorePatterns: ['.cache', 'dist', 'docs/images'],
};
