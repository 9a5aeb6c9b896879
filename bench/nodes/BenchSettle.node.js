const collect = require('./collect');

/** Collects the garbage of n8n's process and tells what is in use. */
class BenchSettle {
	description = {
		displayName: 'Bench Settle',
		name: 'benchSettle',
		group: ['output'],
		version: 1,
		description: 'Collects garbage',
		defaults: { name: 'Bench Settle' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute() {
		return [[{ json: collect() }]];
	}
}

module.exports = { BenchSettle };
