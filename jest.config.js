const project = require('./jest.project');

/** Run once for all projects that share one n8n. */
const sharing = {
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
		project('e2e', sharing),
		project('editor', sharing),
		project('scale'),
	],
};
