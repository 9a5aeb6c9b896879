const { createHash } = require('node:crypto');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs the files in an order drawn from a seed, instead of the slowest first:
 * `npm run test:e2e -- --testSequencer=./test/support/drawnOrder.js --seed=7`.
 */
module.exports = class extends Sequencer {
	constructor(options) {
		super(options);
		this.seed = options.globalConfig.seed;
	}

	sort(tests) {
		const draw = ({ path }) => createHash('sha256').update(`${this.seed} ${path}`).digest('hex');
		return [...tests].sort((one, other) => (draw(one) < draw(other) ? -1 : 1));
	}
};
