const project = require('./jest.project');

const globalTeardown = '<rootDir>/harness/globalTeardown.ts';

module.exports = {
	maxWorkers: 2,
	cacheDirectory: '<rootDir>/.cache/jest',
	projects: [
		project('unit'),
		project('fuzz'),
		project('integration'),
		project('e2e', { globalSetup: '<rootDir>/harness/globalSetup.ts', globalTeardown }),
		project('editor', {
			globalSetup: '<rootDir>/test/support/editor/globalSetup.ts',
			globalTeardown,
		}),
		// Looks at what e2e and editor have left behind.
		project('secrets'),
		project('scale', { setupFilesAfterEnv: ['<rootDir>/test/support/scale/patience.ts'] }),
	],
};
