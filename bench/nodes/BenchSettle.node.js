const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc');
// Gives what is free back to the system too.
const collect = () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });

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
		collect();
		await new Promise((resolve) => setTimeout(resolve, 50));
		collect();
		return [[{ json: {} }]];
	}
}

module.exports = { BenchSettle };
