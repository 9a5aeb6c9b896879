import fc from 'fast-check';
import { expectRecovered } from '../support/reliability/crashing';
import {
	killedHistory,
	playKilled,
	startOneProcess,
	startQueueMode,
	type KillableHost,
	type KilledHistory,
} from '../support/scale/kills';

/** How many histories are drawn for each n8n, and from which seed: that of a failing one runs them again. */
const numRuns = Number(process.env.KILLS ?? 6);
const seed = Number(process.env.KILLS_SEED ?? Date.now() % 1_000_000);

describe.each<[string, () => Promise<KillableHost>, fc.Arbitrary<KilledHistory>]>([
	['one process', startOneProcess, killedHistory('all')],
	['queue mode', startQueueMode, killedHistory('sender', 'sender', 'main', 'all')],
])(`n8n as %s, killed at moments drawn with KILLS_SEED=${seed}`, (_name, start, drawn) => {
	let host: KillableHost;
	beforeAll(async () => (host = await start()));
	afterAll(async () => await host?.close());

	test.each(
		fc.sample(drawn, { seed, numRuns }).map((history) => [JSON.stringify(history), history]),
	)('%s', async (_text, history) => {
		const { execution, counts, untrue, crashes } = await playKilled(host, history as KilledHistory);
		console.log(JSON.stringify({ history, crashes, ...counts }));
		expect(execution.status).toBe('success');
		expectRecovered(counts, crashes);
		expect(untrue).toEqual([]);
	});
});
