const { TestEnvironment } = require('jest-environment-node');

/** Where StrykerJS says which mutant is to be run; a test sees a copy of the variables. */
const ACTIVE = '__STRYKER_ACTIVE_MUTANT__';

/** The first environment of the process, whose global objects all others share. */
let first;

/** The mutant of which a test has failed: its other tests need not run. */
let killed;

/** Jest's environment for Node, shared by all test files of a process: see `runtime.js`. */
module.exports = class SharedEnvironment extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		first ??= this;
		for (const name of ['context', 'global', 'moduleMocker', 'fakeTimers', 'fakeTimersModern']) {
			this[name] = first[name];
		}
		const { process: shared } = this.global;
		if (process.env[ACTIVE] === undefined) delete shared.env[ACTIVE];
		else shared.env[ACTIVE] = process.env[ACTIVE];
	}

	async teardown() {}

	/** StrykerJS cannot ask Jest to stop at the first failure. */
	async handleTestEvent(event) {
		const mutant = process.env[ACTIVE];
		if (mutant === undefined) return;
		if (event.name === 'test_done' && event.test.errors.length > 0) killed = mutant;
		if (killed !== mutant) return;
		if (event.name === 'run_describe_start') event.describeBlock.mode = 'skip';
		if (event.name === 'test_start') event.test.mode = 'skip';
	}
};
