import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../harness';
import { bulk } from './cases/bulk';
import { callLogs } from './cases/callLogs';
import { events } from './cases/events';
import { load } from './cases/load';
import { overhead } from './cases/overhead';
import { sends } from './cases/sends';
import { upload } from './cases/upload';
import { settle } from './flow';
import type { Row } from './row';
import { openStage, type Stage } from './stage';
import { table } from './table';

const RESULTS = path.join(ROOT, 'bench/results.json');

/** In this order: what many sends leave in n8n's memory slows down what comes after them. */
const cases: Record<string, (stage: Stage) => Promise<Row[]>> = {
	bulk,
	callLogs,
	upload,
	overhead,
	load,
	sends,
	events,
};

/**
 * `npm run bench [-- --quick] [case …]`: measures, prints one table and, unless it is quick, writes
 * bench/results.json. A case that fails is told, and the others are measured all the same.
 */
async function main(args: string[]): Promise<void> {
	const names = args.filter((arg) => !arg.startsWith('--'));
	const quick = args.includes('--quick');
	const stage = await openStage(quick);
	const rows: Row[] = [];
	try {
		for (const [name, measure] of Object.entries(cases)) {
			if (names.length > 0 && !names.includes(name)) continue;
			const start = performance.now();
			try {
				await settle(stage);
				rows.push(...(await measure(stage)));
			} catch (error) {
				console.error(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
				process.exitCode = 1;
			}
			console.log(`· ${name} ${Math.round((performance.now() - start) / 1_000)} s`);
		}
	} finally {
		await stage.close();
	}
	console.log(table(rows));
	if (!quick) save(rows);
}

/** Each case's rows are those of its last run. */
function save(rows: Row[]): void {
	const earlier = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Row[]) : [];
	const byName = new Map([...earlier, ...rows].map((row) => [row.name, row]));
	writeFileSync(RESULTS, `${JSON.stringify([...byName.values()], null, '\t')}\n`);
}

void main(process.argv.slice(2));
