const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector/promises');

let session;

/** Notes what n8n's process spends its time with, from one call to the next, which names the file. */
class BenchProfile {
	description = {
		displayName: 'Bench Profile',
		name: 'benchProfile',
		group: ['output'],
		version: 1,
		description: 'Profiles n8n',
		defaults: { name: 'Bench Profile' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute() {
		if (session) {
			const { profile } = await session.post('Profiler.stop');
			session.disconnect();
			session = undefined;
			writeFileSync(this.getInputData()[0].json.body.file, JSON.stringify(profile));
		} else {
			session = new Session();
			session.connect();
			await session.post('Profiler.enable');
			await session.post('Profiler.start');
		}
		return [[{ json: {} }]];
	}
}

module.exports = { BenchProfile };
