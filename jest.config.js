/**
 * A room of tests: each script of package.json selects one.
 *
 * @param displayName its name, and by default the folder below test/ that holds its tests
 * @param extra what differs from the others
 */
const project = (displayName, extra = {}) => ({
	displayName,
	testEnvironment: 'node',
	testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.check.json' }],
	},
	setupFilesAfterEnv: ['<rootDir>/harness/patience.ts'],
	cacheDirectory: '<rootDir>/.cache/jest',
	modulePathIgnorePatterns: [
		'<rootDir>/dist',
		'<rootDir>/test/e2e/host',
		'<rootDir>/test/e2e/oldestHost',
		'<rootDir>/.cache',
	],
	...extra,
});

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
