const project = require('./jest.project');

/** For all projects that share one n8n, which is started once. */
const sharing = {
	setupFiles: ['<rootDir>/harness/fetchLimit.ts'],
	globalSetup: '<rootDir>/harness/globalSetup.ts',
	globalTeardown: '<rootDir>/harness/globalTeardown.ts',
};

module.exports = {
	maxWorkers: 2,
	// n8n-core leaves much behind in each file that loads it.
	workerIdleMemoryLimit: '1GB',
	// n8n takes its time; a test that waits in vain says itself what it waited for.
	testTimeout: 600_000,
	cacheDirectory: '<rootDir>/.cache/jest',
	projects: [
		project('unit'),
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
