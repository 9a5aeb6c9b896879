const common = {
	testEnvironment: 'node',
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.check.json' }],
	},
	cacheDirectory: '<rootDir>/.cache/jest',
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/test/e2e/host', '<rootDir>/.cache'],
};

/** Three rooms of tests, each with a script in package.json, and a look at what the third leaves. */
module.exports = {
	maxWorkers: 2,
	cacheDirectory: '<rootDir>/.cache/jest',
	projects: [
		{ ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
		{
			...common,
			displayName: 'integration',
			testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
		},
		{
			...common,
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/e2e/*.test.ts'],
			globalSetup: '<rootDir>/test/support/n8n/globalSetup.ts',
			globalTeardown: '<rootDir>/test/support/n8n/globalTeardown.ts',
			setupFilesAfterEnv: ['<rootDir>/test/support/n8n/patience.ts'],
		},
		{
			...common,
			displayName: 'secrets',
			testMatch: ['<rootDir>/test/secrets/*.test.ts'],
			setupFilesAfterEnv: ['<rootDir>/test/support/n8n/patience.ts'],
		},
	],
};
