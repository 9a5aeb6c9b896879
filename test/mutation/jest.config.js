// Times without an offset are UTC, wherever the tests run.
process.env.TZ = 'Asia/Kolkata';

const { existsSync } = require('node:fs');
const path = require('node:path');
const project = require('../../jest.project');

const rootDir = path.resolve(__dirname, '../..');

/** Integration tests that look at what a room does; QUICK=1 leaves them out. */
const integration = {
	actions: ['operations', 'parameters', 'bulkCampaign', 'assumptions', 'outcomes'],
	api: ['files', 'tls', 'responses'],
	credentialTest: ['credentialTest'],
	listSearch: [],
	parameters: ['parameters', 'operations', 'assumptions'],
	polling: ['polling'],
	sendAndWait: ['sendAndWait'],
	running: ['operations', 'bulkCampaign'],
	sending: ['bulkCampaign', 'operations'],
	trigger: ['triggerReceiving'],
};

const room = process.env.MUTATED_ROOM;
const names = process.env.QUICK ? [] : integration[room];
const fileOf = (name) => `test/integration/${name}.test.ts`;
const missing = names.filter((name) => !existsSync(path.join(rootDir, fileOf(name))));
if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')} in test/integration`);

/**
 * What StrykerJS runs against each mutant, of these the tests that come across it: all of functions
 * alone, whatever room they are of, for what one room does is seen in others.
 */
module.exports = project('mutation', {
	rootDir,
	testMatch: [
		'<rootDir>/test/unit/*/**/*.test.ts',
		'<rootDir>/test/fuzz/**/*.test.ts',
		...names.map((name) => `<rootDir>/${fileOf(name)}`),
	],
	roots: ['credentials', 'nodes', 'sandbox', 'harness', 'test'].map((dir) => `<rootDir>/${dir}`),
	testEnvironment: path.join(__dirname, 'environment.js'),
	runner: path.join(__dirname, 'runner.js'),
	setupFilesAfterEnv: ['<rootDir>/harness/patience.ts', path.join(__dirname, 'setup.js')],
	runtime: path.join(__dirname, 'runtime.js'),
});
