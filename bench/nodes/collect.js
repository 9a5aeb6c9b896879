const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
// A server in use keeps its compiled code; a collection as thorough as ours would discard it.
v8.setFlagsFromString('--no-flush-bytecode');
const gc = vm.runInNewContext('gc');
const collect = (flavor) => gc({ type: 'major', execution: 'sync', flavor });

/** A quick run does without: it takes seconds. */
const isThorough = process.env.N8N_BENCH_QUICK !== 'true';

/**
 * Collects the garbage of n8n's process, gives what is free back to the system, and tells what is in
 * use.
 */
module.exports = () => {
	if (isThorough) collect('last-resort');
	const { rss, heapUsed } = process.memoryUsage();
	// Otherwise V8 keeps the heap as small as it is now, and whoever allocates next pays for a
	// collection of all that n8n holds.
	collect('regular');
	return { rss, heapUsed };
};
