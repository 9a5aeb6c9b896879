const { TestEnvironment } = require('jest-environment-node');
const { activeVariable, active, addTest, addTime, isKilled, kill } = require('./progress');

/** The first environment of the process, whose global objects all others share. */
let first;

const fullName = ({ name, parent }) =>
	parent?.parent ? `${fullName(parent)} ${name}`.trim() : name;

/** Jest's environment for Node, shared by all test files of a process: see `runtime.js`. */
module.exports = class SharedEnvironment extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		this.file = context.testPath;
		first ??= this;
		for (const name of ['context', 'global', 'moduleMocker', 'fakeTimers', 'fakeTimersModern']) {
			this[name] = first[name];
		}
		// The variables that a test sees are a copy.
		const { env } = this.global.process;
		if (active() === undefined) delete env[activeVariable];
		else env[activeVariable] = active();
	}

	/** Jest would go on telling the environments of former files what happens in later ones. */
	async teardown() {
		delete this.global[Symbol.for('EVENT_HANDLERS')];
	}

	async handleTestEvent({ name, test, describeBlock }) {
		if (name === 'test_start') addTest(this.file, fullName(test));
		if (name === 'test_done' && test.errors.length > 0) kill();
		if (name === 'test_done') addTime(this.file, test.duration ?? 0);
		if (!isKilled()) return;
		if (name === 'run_describe_start') describeBlock.mode = 'skip';
		if (name === 'test_start') test.mode = 'skip';
	}
};
