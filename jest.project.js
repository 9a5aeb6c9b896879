/**
 * A room of tests: each script of package.json selects one.
 *
 * @param displayName its name, and by default the folder below test/ that holds its tests
 * @param extra what differs from the others
 */
module.exports = (displayName, extra = {}) => ({
	displayName,
	testEnvironment: 'node',
	testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.check.json' }],
	},
	cacheDirectory: '<rootDir>/.cache/jest',
	modulePathIgnorePatterns: [
		'<rootDir>/dist',
		'<rootDir>/test/e2e/host',
		'<rootDir>/test/e2e/oldestHost',
		'<rootDir>/.cache',
	],
	...extra,
});
