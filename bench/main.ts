import { bulk } from './cases/bulk';
import { events } from './cases/events';
import { growth } from './cases/growth';
import { ledger } from './cases/ledger';
import { lists } from './cases/lists';
import { outcome } from './cases/outcome';
import { polling } from './cases/polling';
import { sends } from './cases/sends';
import { upload } from './cases/upload';
import { settle } from './flow';
import { machine } from './machine';
import { saveResults } from './results';
import { shortfall, type Row } from './row';
import { openStage, type Stage } from './stage';
import { missed, table } from './table';

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
	outcome,
};

/** A quick run fails when a figure takes its target more often than this: it is no measurement. */
const tolerance = 1.5;

/**
 * `npm run bench [-- --quick] [-- --profile] [case …]`: measures, prints one table and writes
 * bench/results.json and the tables made from it. A case that fails is told, and the others are
 * measured all the same.
 *
 * `--quick` does the same work in small and writes nothing; `--profile` writes what n8n spends its
 * time with, in place of a measurement.
 */
async function main(args: string[]): Promise<void> {
	const known = ['--quick', '--profile', ...Object.keys(cases)];
	const unknown = args.filter((arg) => !known.includes(arg));
	if (unknown.length > 0) {
		console.error(`There is no ${unknown.join(', ')}: choose from ${known.join(', ')}.`);
		process.exitCode = 1;
		return;
	}
	const names = args.filter((arg) => arg in cases);
	const isProfile = args.includes('--profile');
	const isQuick = args.includes('--quick');
	const measured: Record<string, Row[]> = {};
	const stage = await openStage({ quick: isQuick, profile: isProfile });
	try {
		for (const [name, measure] of Object.entries(cases)) {
			if (names.length > 0 && !names.includes(name)) continue;
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
	if (isProfile) return;
	if (!isQuick) return saveResults(measured, Object.keys(cases));
	console.log('A quick run does a small part of the work that its rows name, and saves nothing.');
	if (rows.some((row) => shortfall(row) > tolerance)) process.exitCode = 1;
}

void main(process.argv.slice(2));
