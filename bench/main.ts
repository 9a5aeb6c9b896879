import { bulk } from './cases/bulk';
import { events } from './cases/events';
import { growth } from './cases/growth';
import { ledger } from './cases/ledger';
import { lists } from './cases/lists';
import { polling } from './cases/polling';
import { sends } from './cases/sends';
import { soak } from './cases/soak';
import { upload } from './cases/upload';
import { machine, saveResults } from './results';
import { missed, table, type Row } from './row';
import { openStage, settle, type Stage } from './stage';

/** In this order: what many sends leave in n8n's memory slows down what comes after them. */
const cases: Record<string, (stage: Stage) => Promise<Row[]>> = {
	bulk,
	lists,
	upload,
	ledger,
	polling,
	sends,
	events,
	growth,
	soak,
};

/** These take long and run only when they are named. */
const named = ['soak'];

/**
 * `npm run bench [-- --quick] [case …]`: measures, prints one table and writes bench/results.json and
 * the table in docs/performance.md. A case that fails is told, and the others are measured all the
 * same. `--quick` does the same work in small and writes nothing.
 */
async function main(args: string[]): Promise<void> {
	const known = ['--quick', ...Object.keys(cases)];
	const unknown = args.filter((arg) => !known.includes(arg));
	if (unknown.length > 0) {
		console.error(`There is no ${unknown.join(', ')}: choose from ${known.join(', ')}, faults.`);
		process.exitCode = 1;
		return;
	}
	const isQuick = args.includes('--quick');
	const wanted = args.filter((arg) => arg in cases);
	const isWanted = (name: string) =>
		wanted.length > 0 ? wanted.includes(name) : !named.includes(name);
	const measured: Record<string, Row[]> = {};
	const stage = await openStage(isQuick);
	try {
		for (const [name, measure] of Object.entries(cases)) {
			if (!isWanted(name)) continue;
			const start = performance.now();
			try {
				await settle(stage);
				measured[name] = await measure(stage);
			} catch (error) {
				console.error(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
				process.exitCode = 1;
			}
			console.log(`· ${name} ${Math.round((performance.now() - start) / 1_000)} s`);
		}
	} finally {
		await stage.close();
	}
	const rows = Object.values(measured).flat();
	console.log([table(rows), ...missed(rows), machine()].join('\n'));
	if (!isQuick) return saveResults(measured, Object.keys(cases));
	console.log('A quick run does a small part of the work that its rows name, and saves nothing.');
}

void main(process.argv.slice(2));
