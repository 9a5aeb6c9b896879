const { readFileSync, writeFileSync } = require('node:fs');

/** What the source of the running workflow has noted; one workflow runs at a time. */
let start;

/** Bytes of memory that n8n uses now, and has used at most since its source was done (Linux). */
function memory() {
	const status = readFileSync('/proc/self/status', 'utf8');
	const bytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) * 1024;
	return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

const busy = () => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
};

/** Called by a source as the last thing it does. */
exports.start = () => {
	// Lets the peak start again at what is in use now.
	writeFileSync('/proc/self/clear_refs', '5');
	start = { memory: memory().now, busy: busy(), now: performance.now() };
};

/** Called by a node when its first request leaves. */
exports.depart = () => {
	start.departed ??= busy();
};

/**
 * What happened since then: milliseconds, those that n8n's main thread was busy, also until the
 * first request left, and bytes by which its memory rose.
 */
exports.read = () => {
	const nodesMs = performance.now() - start.now;
	const now = busy();
	return {
		nodesMs,
		busyMs: now - start.busy,
		preparedMs: (start.departed ?? now) - start.busy,
		memory: Math.max(0, memory().peak - start.memory),
	};
};
