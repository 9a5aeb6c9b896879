const { readFileSync, writeFileSync } = require('node:fs');
const { Readable } = require('node:stream');
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
// A server in use keeps its compiled code; a collection as thorough as ours would discard it.
v8.setFlagsFromString('--no-flush-bytecode');
const gc = vm.runInNewContext('gc');
const collect = (flavor) => gc({ type: 'major', execution: 'sync', flavor });

/** Message ids of the events that came in, by the name of their workflow. */
const seen = new Map();

/** What the source of the running workflow has noted; one workflow runs at a time. */
let start;

/** Bytes of memory that n8n uses now, or has used at most since its source was done (Linux). */
function memory(name) {
	const status = readFileSync('/proc/self/status', 'utf8');
	return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) * 1024;
}

/** The last thing that a source does. */
function startClock() {
	// Lets the peak start again at what is in use now.
	writeFileSync('/proc/self/clear_refs', '5');
	start = { memory: memory('VmRSS'), now: performance.now() };
}

/** What the node does, by its parameter; each returns objects that become items, files in `binary`. */
const works = {
	/** Makes recipients in n8n's own process: a Code node would send them through its task runner. */
	items(settings) {
		const { count, keys } = { ...settings, ...this.getInputData()[0].json.body };
		const made = Array.from({ length: count }, (_, index) => ({
			phone: `+${999_000_000_000 + index}`,
			name: `Name ${index}`,
			time: '12:30',
			key: `${keys ?? this.getExecutionId()} ${index}`,
		}));
		startClock();
		return made;
	},

	/** Makes webhook bodies of 1 MB with many fields, and a text with many braces. */
	bodies({ count }) {
		const fields = Object.fromEntries(
			Array.from({ length: 10_000 }, (_, index) => [`field_${index}`, 'a value '.repeat(9)]),
		);
		const text = '{name} is '.repeat(10_000);
		const made = Array.from({ length: count }, (_, index) => ({
			body: { ...fields, to: `anna${index}@host.example`, name: `Name ${index}`, text },
		}));
		startClock();
		return made;
	},

	/** Makes a file the way n8n keeps it. */
	async file({ size }) {
		function* blocks() {
			for (let index = 0; index < size; index++) yield Buffer.alloc(2 ** 20, index);
		}
		const source = Readable.from(blocks());
		const data = await this.helpers.prepareBinaryData(source, 'film.mp4', 'video/mp4');
		// What making the file has left must not count as used by who sends it.
		works.settle({ isThorough: true });
		startClock();
		return [{ binary: { data } }];
	},

	/** Counts what comes in, so that an answer stays small, and tells what it took since the source. */
	report() {
		const nodesMs = performance.now() - start.now;
		const rose = Math.max(0, memory('VmHWM') - start.memory);
		const items = this.getInputData();
		const failed = items.filter(({ json }) => json.error !== undefined).length;
		return [{ items: items.length, failed, nodesMs, memory: rose }];
	},

	/** Collects the garbage of n8n's process, and gives what is free back. */
	settle({ isThorough }) {
		if (isThorough) collect('last-resort');
		// Otherwise V8 keeps the heap as small as it is now, and whoever allocates next pays for a
		// collection of all that n8n holds.
		collect('regular');
		return [{}];
	},

	/** Notes the message id of each event. */
	count({ name }) {
		const ids = this.getInputData().map(
			({ json }) => (json.data ?? json.body.data).providerMessageId,
		);
		seen.set(name, [...(seen.get(name) ?? []), ...ids]);
		return [];
	},

	/** How many events came, and how many differ. */
	counted() {
		const ids = seen.get(this.getInputData()[0].json.body.name) ?? [];
		return [{ events: ids.length, different: new Set(ids).size }];
	},
};

/** Everything that the benchmark does inside n8n, chosen by a parameter. */
class Bench {
	description = {
		displayName: 'Bench',
		name: 'bench',
		group: ['output'],
		version: 1,
		description: 'Does a piece of work',
		defaults: { name: 'Bench' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'Work', name: 'work', type: 'string', default: '' },
			{ displayName: 'Settings', name: 'settings', type: 'json', default: '{}' },
		],
	};

	async execute() {
		const work = this.getNodeParameter('work', 0);
		const settings = JSON.parse(this.getNodeParameter('settings', 0));
		const made = await works[work].call(this, settings);
		return [made.map((json) => ({ json, binary: json.binary, pairedItem: { item: 0 } }))];
	}
}

module.exports = { Bench };
