const { makeItems } = require('./campaign');
const clock = require('./clock');

/** Makes input items in n8n's own process: a Code node would send them through its task runner. */
class BenchItems {
	description = {
		displayName: 'Bench Items',
		name: 'benchItems',
		group: ['input'],
		version: 1,
		description: 'Makes recipients',
		defaults: { name: 'Bench Items' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'Count', name: 'count', type: 'number', default: 1 },
			{ displayName: 'Keys', name: 'keys', type: 'string', default: '' },
		],
	};

	async execute() {
		const count = this.getNodeParameter('count', 0);
		const items = makeItems(count, this.getNodeParameter('keys', 0) || this.getExecutionId());
		clock.start();
		return [items];
	}
}

module.exports = { BenchItems };
