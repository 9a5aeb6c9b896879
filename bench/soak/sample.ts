import { pause } from '../../harness';
import { call } from '../flow';
import type { Stage } from '../stage';

const looksPerSample = 5;
const lookEveryMs = 1_000;

/** What n8n holds at one moment, after its garbage was collected, and what has happened until then. */
export interface Sample {
	/** Since the start of the load. */
	minutes: number;
	sends: number;
	calls: number;
	/** Events that n8n has taken. */
	events: number;
	/** Polls of each kind. */
	polls: number;
	/** Bytes of n8n's process. */
	rss: number;
	/** Bytes of that which JavaScript values take. */
	heap: number;
}

/** Waits until the service has nothing to deliver, has n8n collect its garbage, and measures. */
export async function sample(stage: Stage, minutes: number): Promise<Sample> {
	await stage.sandbox.control.settle();
	const { rss, heapUsed } = await leastMemory(stage);
	const { responses, deliveries } = await stage.sandbox.control.stats();
	const taken = Object.entries(deliveries).filter(([outcome]) => outcome.endsWith(' 200'));
	return {
		minutes,
		sends: responses['POST /chat/send-template 200'] ?? 0,
		calls: responses['POST /voice/call 200'] ?? 0,
		events: taken.reduce((sum, [, count]) => sum + count, 0),
		polls: responses['GET /balance 200'] ?? 0,
		rss,
		heap: heapUsed,
	};
}

interface Memory {
	rss: number;
	heapUsed: number;
}

/** What the system gives a process differs by a tenth from one look to the next: the least counts. */
async function leastMemory(stage: Stage): Promise<Memory> {
	const looks: Memory[] = [];
	while (looks.length < looksPerSample) {
		const { status, data } = await call<Memory>(stage, stage.settlePath);
		if (status !== 200) throw new Error(`n8n does not tell its memory (${status})`);
		looks.push(data);
		await pause(lookEveryMs);
	}
	return {
		rss: Math.min(...looks.map(({ rss }) => rss)),
		heapUsed: Math.min(...looks.map(({ heapUsed }) => heapUsed)),
	};
}

/** Memory of the last sample against the first: 1 is no growth. */
export function growth(samples: Sample[]): number {
	const [first, last] = [samples[0], samples.at(-1)];
	if (!first || !last) throw new Error('Nothing was measured');
	return last.rss / first.rss;
}

/** The samples as a Markdown table. */
export function soakTable(samples: Sample[]): string {
	const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
	const start = samples[0]?.rss ?? NaN;
	return [
		'| minutes | sends | calls | events | polls of each kind | memory of n8n, MB | of that JavaScript, MB | against the first row |',
		'|---:|---:|---:|---:|---:|---:|---:|---:|',
		...samples.map((one) => {
			const { minutes, sends, calls, events, polls, rss, heap } = one;
			const memory = [megabytes(rss), megabytes(heap), (rss / start).toFixed(2)];
			return `| ${[minutes, sends, calls, events, polls, ...memory].join(' | ')} |`;
		}),
	].join('\n');
}
