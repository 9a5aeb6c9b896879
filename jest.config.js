const common = {
	testEnvironment: 'node',
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
};

/** Rooms of tests; each script of package.json selects one, and `secrets` looks at what e2e left behind. */
module.exports = {
	maxWorkers: 2,
	cacheDirectory: '<rootDir>/.cache/jest',
	projects: [
		{
			...common,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/unit/**/*.test.ts'],
			setupFilesAfterEnv: ['<rootDir>/harness/patience.ts'],
		},
		{
			...common,
			displayName: 'integration',
			testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
			setupFilesAfterEnv: ['<rootDir>/harness/patience.ts'],
		},
		{
			...common,
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/e2e/*.test.ts'],
			globalSetup: '<rootDir>/harness/globalSetup.ts',
			globalTeardown: '<rootDir>/harness/globalTeardown.ts',
			setupFilesAfterEnv: ['<rootDir>/harness/patience.ts'],
		},
		{
			...common,
			displayName: 'secrets',
			testMatch: ['<rootDir>/test/secrets/*.test.ts'],
			setupFilesAfterEnv: ['<rootDir>/harness/patience.ts'],
		},
		{
			...common,
			displayName: 'scale',
			testMatch: ['<rootDir>/test/scale/*.test.ts'],
			setupFilesAfterEnv: ['<rootDir>/test/support/scale/patience.ts'],
		},
		{
			...common,
			displayName: 'editor',
			testMatch: ['<rootDir>/test/editor/**/*.test.ts'],
			globalSetup: '<rootDir>/test/support/editor/globalSetup.ts',
			globalTeardown: '<rootDir>/harness/globalTeardown.ts',
			setupFilesAfterEnv: ['<rootDir>/harness/patience.ts'],
		},
	],
};
