const lineMs = 30_000;

/** The steps that run now. */
const running = new Set();
let timer;

/**
 * Shows that a step runs, how long it may take and how much of it is left: on a terminal in one line that changes,
 * elsewhere in a line every half a minute.
 * @param what e.g. "Installing n8n"
 * @param duration e.g. "about 3 minutes"
 * @param count returns how much is done, e.g. "12 of 90 packages"
 */
export async function showing({ what, duration, count = () => '' }, work) {
	const step = { what, count, start: Date.now() };
	print(`${what} (${duration})`);
	running.add(step);
	timer ??= setInterval(show, process.stdout.isTTY ? 1_000 : lineMs);
	try {
		const result = await work();
		print(`${what}: done in ${minutes(step)}`);
		return result;
	} finally {
		running.delete(step);
		if (running.size === 0) {
			clearInterval(timer);
			timer = undefined;
		}
	}
}

/** Minutes and seconds since a step has started, e.g. "1:05". */
function minutes({ start }) {
	const seconds = Math.round((Date.now() - start) / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function show() {
	const line = [...running]
		.map((step) => [`${step.what} ${minutes(step)}`, step.count()].filter(Boolean).join(', '))
		.join('; ');
	if (process.stdout.isTTY)
		process.stdout.write(`${clear}${line.slice(0, process.stdout.columns - 1)}`);
	else console.log(line);
}

const clear = '\r\x1b[K';

function print(line) {
	console.log(process.stdout.isTTY ? `${clear}${line}` : line);
}
