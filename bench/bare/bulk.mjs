import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Makes recipients, builds the payloads of their campaigns and writes them as JSON. It does so twice,
 * for n8n's code is warm, too, and gives the second time; then the time with a fingerprint of all
 * items, by which changed ones are known again.
 */
const { count } = JSON.parse(process.argv[2]);

const busy = () => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
};

/** Bytes of memory that this process uses, or has used at most (Linux). */
function bytes(name) {
	const status = readFileSync('/proc/self/status', 'utf8');
	return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) * 1024;
}

function prepare(items) {
	const recipients = items.map(({ json }) => ({
		phone: json.phone.replace(/[\s+.()-]/g, ''),
		params: [json.name, json.time],
		name: json.name,
	}));
	const bodies = [];
	for (let index = 0; index < count; index += 10_000) {
		const body = {
			templateName: 'order_update',
			language: 'en',
			recipients: recipients.slice(index, index + 10_000),
		};
		bodies.push(Buffer.from(JSON.stringify(body)));
	}
	return bodies.length;
}

function takePrint(items) {
	const all = createHash('sha256');
	for (let index = 0; index < count; index += 100) {
		all.update(JSON.stringify(items.slice(index, index + 100).map(({ json }) => json)));
	}
	return all.digest('base64url');
}

function measure(...steps) {
	const items = Array.from({ length: count }, (_, index) => ({
		json: {
			phone: `+${919_000_000_000 + index}`,
			digits: String(919_000_000_000 + index),
			name: `Name ${index}`,
			time: '12:30',
			template: `template_${index % 5}`,
			key: `1 ${index}`,
		},
	}));
	// Lets the peak start again at what is in use now.
	writeFileSync('/proc/self/clear_refs', '5');
	const before = bytes('VmRSS');
	const start = busy();
	for (const step of steps) step(items);
	return { busyMs: busy() - start, memory: Math.max(0, bytes('VmHWM') - before) };
}

const { memory } = measure(prepare);
const { busyMs } = measure(prepare);
measure(prepare, takePrint);
const { busyMs: withPrint } = measure(prepare, takePrint);
console.log(JSON.stringify({ busyMs, withPrint, memory }));
