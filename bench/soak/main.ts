import { pause, type N8n } from '../../harness';
import { writeTable } from '../../harness/docs';
import { openStage, type Stage } from '../stage';
import { growth, sample, soakTable, type Sample } from './sample';
import { publishSoak, type Soaked } from './workflows';

/** As much memory as a small server has; what the allocators keep unused then says little. */
const settings = { NODE_OPTIONS: '--max-old-space-size=1024', MALLOC_ARENA_MAX: '2' };

/** Rows of the table; with the default duration the first one is after ten minutes. */
const sampleCount = 6;
const defaultMinutes = 60;

const sendEveryMs = 2_000;
/** One call for so many sends. */
const sendsPerCall = 5;

/** The bar for the memory at the end against that of the first row. */
const mostGrowth = 1.1;

/**
 * `npm run soak [-- minutes]`: polls, events and sends together in a real n8n, for an hour unless
 * told otherwise. Prints a table, and writes it into
 * docs/reliability.md with UPDATE_DOCS=1. Fails when something was not sent, told or taken, or when
 * n8n's memory has grown by more than a tenth since the first row.
 */
async function main([minutes = String(defaultMinutes)]: string[]): Promise<void> {
	const ms = Number(minutes) * 60_000;
	if (!(ms > 0)) throw new Error(`"${minutes}" is no number of minutes`);
	const stage = await openStage({ quick: true, profile: false }, settings);
	try {
		await stage.sandbox.control.setLifecycle({ enabled: true });
		// Whatever else the machine has to do: an event that is given up says nothing about memory.
		await stage.sandbox.control.setAssumptions({ deliveryTimeoutMs: 120_000 });
		const soaked = await publishSoak(stage);
		const samples = await soak(stage, soaked, ms);
		await check(stage, soaked, samples);
		writeTable('soak', soakTable(samples));
	} finally {
		await stage.close();
	}
}

/** Keeps up an even load and measures at even distances; the load rests meanwhile. */
async function soak(stage: Stage, soaked: Soaked, ms: number): Promise<Sample[]> {
	const samples: Sample[] = [];
	const start = performance.now();
	let order = 0;
	for (let round = 1; round <= sampleCount; round++) {
		const end = start + (ms * round) / sampleCount;
		const underWay = new Set<Promise<void>>();
		const failures: unknown[] = [];
		const begin = (work: Promise<void>) => {
			const done = work
				.catch((error: unknown) => void failures.push(error))
				.finally(() => underWay.delete(done));
			underWay.add(done);
		};
		while (performance.now() < end) {
			order++;
			begin(soaked.send(order));
			if (order % sendsPerCall === 0) begin(soaked.call(order));
			await pause(Math.max(0, Math.min(sendEveryMs, end - performance.now())));
		}
		await Promise.all(underWay);
		if (failures.length > 0) throw failures[0];
		samples.push(await sample(stage, Number(((ms * round) / sampleCount / 60_000).toFixed(1))));
		console.log(soakTable(samples).split('\n').at(-1));
	}
	return samples;
}

/** @throws when a send is missing or came twice, an event was not taken, or an execution failed */
async function check(stage: Stage, { ids }: Soaked, samples: Sample[]): Promise<void> {
	console.log(soakTable(samples));
	const { n8n, sandbox } = stage;
	const last = samples.at(-1);
	const messages = await sandbox.control.messages();
	const recipients = new Set(messages.map(({ to }) => to));
	if (recipients.size !== messages.length) throw new Error('A message was sent twice');
	if (messages.length !== last?.sends) throw new Error('The service lacks messages');
	const { deliveries } = await sandbox.control.stats();
	const refused = Object.keys(deliveries).filter((outcome) => !outcome.endsWith(' 200'));
	if (refused.length > 0) throw new Error(`Events were answered otherwise: ${refused.join(', ')}`);
	await checkExecutions(n8n, ids);
	const grown = growth(samples);
	if (grown > mostGrowth) throw new Error(`n8n's memory has grown to ${grown.toFixed(2)} times`);
}

async function checkExecutions(n8n: N8n, ids: string[]): Promise<void> {
	for (const id of ids) {
		const failed = await n8n.countExecutions(id, 'error');
		if (failed > 0) throw new Error(`${failed} executions of workflow ${id} have failed`);
	}
}

main(process.argv.slice(2)).catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
