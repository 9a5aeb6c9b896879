const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { Readable } = require('node:stream');
const v8 = require('node:v8');
const vm = require('node:vm');

const requireOfN8n = createRequire(process.argv[1]);
const pLimit = requireOfN8n('p-limit');

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

/** Does so many pieces of work, some of them at once; gives their results in order. */
async function each(count, atOnce, work) {
	const limit = pLimit(atOnce);
	return await Promise.all(Array.from({ length: count }, (_, index) => limit(work, index)));
}

/** n8n's request helper, with the service's address and key. */
async function requester(node) {
	const { baseUrl, apiKey } = await node.getCredentials('messagingServiceApi');
	return async (path, { headers, ...options }) =>
		await node.helpers.httpRequest({
			url: `${baseUrl}${path}`,
			headers: { 'x-api-key': apiKey, ...headers },
			...options,
		});
}

const MiB = 1_048_576;
const boundary = 'bench-upload-boundary';
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="film.mp4"\r\ncontent-type: video/mp4\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

/** What the node does, by its parameter; each gives objects that become items, files in `binary`. */
const works = {
	/** Makes recipients in n8n's own process: a Code node would send them through its task runner. */
	items(settings) {
		const { count, keys } = { ...settings, ...this.getInputData()[0].json.body };
		const made = Array.from({ length: count }, (_, index) => ({
			phone: `+${999_000_000_000 + index}`,
			digits: String(999_000_000_000 + index),
			name: `Name ${index}`,
			time: '12:30',
			key: `${keys ?? this.getExecutionId()} ${index}`,
		}));
		startClock();
		return made;
	},

	/** Makes a file the way n8n keeps it. */
	async file({ size }) {
		function* blocks() {
			for (let index = 0; index < size; index++) yield Buffer.alloc(MiB, index);
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

	/** n8n's request helper and one parameter of each item: what any node pays for a send at least. */
	async send({ atOnce }) {
		const request = await requester(this);
		return await each(this.getInputData().length, atOnce, async (index) => {
			const phone = this.getNodeParameter('phone', index);
			const body = { phone, templateName: 'order_update', language: 'en' };
			return await request('/chat/send-template', { method: 'POST', body });
		});
	},

	/** Streams a file with n8n's request helper. */
	async upload() {
		const request = await requester(this);
		const { id } = this.helpers.assertBinaryData(0, 'data');
		const { fileSize } = await this.helpers.getBinaryMetadata(id);
		const content = await this.helpers.getBinaryStream(id);
		async function* framed() {
			yield Buffer.from(head);
			yield* content;
			yield Buffer.from(tail);
		}
		const answer = await request('/chat/upload', {
			method: 'POST',
			headers: {
				'content-type': `multipart/form-data; boundary=${boundary}`,
				'content-length': head.length + fileSize + tail.length,
			},
			// Otherwise the whole file is kept in memory, to be sent again elsewhere.
			disableFollowRedirect: true,
			body: Readable.from(framed()),
			json: false,
		});
		return [{ answer }];
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
		credentials: [{ name: 'messagingServiceApi', required: false }],
		properties: [
			{ displayName: 'Work', name: 'work', type: 'string', default: '' },
			{ displayName: 'Settings', name: 'settings', type: 'json', default: '{}' },
			{ displayName: 'Phone', name: 'phone', type: 'string', default: '' },
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
