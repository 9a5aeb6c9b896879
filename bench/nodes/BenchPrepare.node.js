const { bodiesOf, fingerprintOf } = require('./campaign');
const clock = require('./clock');

/** Writes the bodies of a campaign and takes a fingerprint of its items, in n8n's own process. */
class BenchPrepare {
	description = {
		displayName: 'Bench Prepare',
		name: 'benchPrepare',
		group: ['output'],
		version: 1,
		description: 'Prepares a campaign',
		defaults: { name: 'Bench Prepare' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute() {
		const items = this.getInputData();
		const print = fingerprintOf(items);
		const bodies = bodiesOf(items);
		clock.depart();
		return [bodies.map(({ length }) => ({ json: { length, print } }))];
	}
}

module.exports = { BenchPrepare };
