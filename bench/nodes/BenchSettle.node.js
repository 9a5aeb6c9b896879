const collect = require('./collect');

/** Collects the garbage of n8n's process. */
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
		await collect();
		return [[{ json: {} }]];
	}
}

module.exports = { BenchSettle };
