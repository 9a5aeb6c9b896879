const { default: TestRunner } = require('jest-runner');
const { compareTimes, isKilled, mayHave } = require('./progress');

const isIntegration = ({ path }) => path.includes('/integration/');

/**
 * Runs the files that have a wanted test, quick ones first, until a test fails: StrykerJS asks Jest
 * for tests by their names alone, and for all of them.
 */
module.exports = class UntilKilled extends TestRunner {
	async runTests(tests, ...rest) {
		const names = new RegExp(this._globalConfig.testNamePattern ?? '', 'i');
		const sorted = tests
			.filter(({ path }) => mayHave(path, names))
			.sort((a, b) => isIntegration(a) - isIntegration(b) || compareTimes(a.path, b.path));
		for (const test of sorted) {
			if (!isKilled()) await super.runTests([test], ...rest);
		}
	}
};
