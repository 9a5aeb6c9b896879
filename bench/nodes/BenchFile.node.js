const { Readable } = require('node:stream');
const clock = require('./clock');
const collect = require('./collect');

const MiB = 1_048_576;

function* blocks(count) {
	for (let index = 0; index < count; index++) yield Buffer.alloc(MiB, index);
}

/** Makes a file the way n8n keeps it. */
class BenchFile {
	description = {
		displayName: 'Bench File',
		name: 'benchFile',
		group: ['input'],
		version: 1,
		description: 'Makes a file',
		defaults: { name: 'Bench File' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [{ displayName: 'Size in MiB', name: 'size', type: 'number', default: 1 }],
	};

	async execute() {
		const source = Readable.from(blocks(this.getNodeParameter('size', 0)));
		const data = await this.helpers.prepareBinaryData(source, 'film.mp4', 'video/mp4');
		// What making the file has left must not count as used by who sends it.
		collect();
		clock.start();
		return [[{ json: {}, binary: { data } }]];
	}
}

module.exports = { BenchFile };
