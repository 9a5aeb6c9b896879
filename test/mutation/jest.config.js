// Times without an offset are UTC, wherever the tests run.
process.env.TZ = 'Asia/Kolkata';

const path = require('node:path');
const project = require('../../jest.project');

/**
 * Integration tests, by their names, that look at what a room does. QUICK=1 leaves them out: what is
 * killed without them is killed, in a tenth of the time.
 */
const integration = {
	actions: ['operations', 'parameters', 'bulk', 'bulkCampaigns', 'lists', 'largeResponses'],
	api: ['oddFiles', 'tls', 'read', 'credentialTest'],
	parameters: ['parameters', 'read', 'operations', 'lists'],
	polling: ['polling', 'pollingFailures'],
	sendAndWait: ['sendAndWait'],
	sending: [
		'read',
		'oddFiles',
		'sending',
		'bulk',
		'bulkCampaigns',
		'histories',
		'campaignHistories',
	],
	trigger: ['triggerReceiving', 'triggerRegistration'],
};

/** Further tests of a room that lie elsewhere: what it checks is seen in the requests. */
const others = {
	actions: ['fuzz/operations', 'fuzz/listSearch'],
	parameters: ['unit/actions/*', 'unit/api/phone', 'fuzz/operations'],
};

const room = process.env.MUTATED_ROOM;

/** What StrykerJS runs against each mutant of a room: its tests that need no n8n. */
module.exports = project('mutation', {
	rootDir: path.resolve(__dirname, '../..'),
	testMatch: [
		`<rootDir>/test/unit/${room}/**/*.test.ts`,
		`<rootDir>/test/fuzz/${room}/**/*.test.ts`,
		...(others[room] ?? []).map((name) => `<rootDir>/test/${name}.test.ts`),
		...(process.env.QUICK ? [] : integration[room]).map(
			(name) => `<rootDir>/test/integration/${name}.test.ts`,
		),
	],
	roots: ['credentials', 'nodes', 'sandbox', 'harness', 'test'].map((dir) => `<rootDir>/${dir}`),
	testEnvironment: path.join(__dirname, 'environment.js'),
	runner: path.join(__dirname, 'runner.js'),
	setupFilesAfterEnv: ['<rootDir>/harness/patience.ts', path.join(__dirname, 'setup.js')],
	runtime: path.join(__dirname, 'runtime.js'),
});
