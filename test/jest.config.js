const rootDir = require('node:path').resolve(__dirname, '..');

/**
 * A room of tests: each script of package.json selects one.
 *
 * @param displayName its name, and the folder below test/ that holds its tests
 * @param extra what differs from the others
 */
const project = (displayName, extra = {}) => ({
	displayName,
	rootDir,
	testEnvironment: 'node',
	testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json' }] },
	cacheDirectory: '<rootDir>/.cache/jest',
	modulePathIgnorePatterns: [
		'<rootDir>/dist',
		'<rootDir>/test/e2e/host',
		'<rootDir>/test/e2e/oldestHost',
		'<rootDir>/.cache',
	],
	...extra,
});

/**
 * Node.js finds the zod of another package in n8n's folder before n8n's own. What parses values is tested again with
 * the first zod 4, one in which other things differ, and the newest.
 */
const withZod = (name) =>
	project('unit', {
		displayName: name,
		testMatch: ['<rootDir>/test/unit/{parameters/schemas,actions/requests}.test.ts'],
		moduleNameMapper: { '^zod$': name },
	});

/** For all projects that share one n8n, which is started once. */
const sharing = {
	setupFiles: ['<rootDir>/harness/fetchLimit.ts'],
	globalSetup: '<rootDir>/harness/globalSetup.ts',
	globalTeardown: '<rootDir>/harness/globalTeardown.ts',
};

module.exports = {
	rootDir,
	maxWorkers: 2,
	// n8n-core leaves much behind in each file that loads it.
	workerIdleMemoryLimit: '1GB',
	// n8n takes its time; a test that waits in vain says itself what it waited for.
	testTimeout: 600_000,
	cacheDirectory: '<rootDir>/.cache/jest',
	projects: [
		project('unit'),
		...['zod-4.0', 'zod-4.3', 'zod-4'].map(withZod),
		project('fuzz'),
		project('integration'),
		project('honest'),
		project('e2e', sharing),
		project('editor', {
			...sharing,
			setupFilesAfterEnv: ['<rootDir>/test/support/editor/secondTry.ts'],
		}),
		project('scale'),
	],
};
