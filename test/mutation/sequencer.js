const { default: Sequencer } = require('@jest/test-sequencer');

const isIntegration = ({ path }) => path.includes('/integration/');

/** Quick tests first: most mutants do not survive them. */
module.exports = class QuickFirst extends Sequencer {
	sort(tests) {
		return [...tests].sort(
			(a, b) => isIntegration(a) - isIntegration(b) || a.path.localeCompare(b.path),
		);
	}
};
