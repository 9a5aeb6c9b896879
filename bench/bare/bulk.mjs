import { readFileSync, writeFileSync } from 'node:fs';
import { bodiesOf, makeItems } from '../nodes/campaign.js';

/**
 * Makes recipients and the bodies of their campaigns as JSON. It does so twice, for n8n's code is
 * warm, too, and gives the time of the second and the memory of the first.
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

function measure() {
	const items = makeItems(count, 1);
	// Lets the peak start again at what is in use now.
	writeFileSync('/proc/self/clear_refs', '5');
	const before = bytes('VmRSS');
	const start = busy();
	bodiesOf(items);
	return { busyMs: busy() - start, memory: Math.max(0, bytes('VmHWM') - before) };
}

const { memory } = measure();
const { busyMs } = measure();
console.log(JSON.stringify({ busyMs, memory }));
