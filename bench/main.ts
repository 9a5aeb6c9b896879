/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- runs on the developer's machine, never inside n8n */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../test/support/n8n';
import { bulk } from './cases/bulk';
import { callLogs } from './cases/callLogs';
import { events } from './cases/events';
import { load } from './cases/load';
import { overhead } from './cases/overhead';
import { sends } from './cases/sends';
import { upload } from './cases/upload';
import type { Row } from './row';
import { openStage, type Stage } from './stage';
import { table } from './table';

const cases: Record<string, (stage: Stage) => Promise<Row[]>> = {
	sends,
	bulk,
	callLogs,
	upload,
	events,
	load,
	overhead,
};

/** `npm run bench [-- --quick] [case …]`: measures, prints one table, writes bench/results.json. */
async function main(args: string[]): Promise<void> {
	const names = args.filter((arg) => !arg.startsWith('--'));
	const quick = args.includes('--quick');
	const stage = await openStage(quick);
	const rows: Row[] = [];
	try {
		for (const [name, measure] of Object.entries(cases)) {
			if (names.length > 0 && !names.includes(name)) continue;
			const start = performance.now();
			rows.push(...(await measure(stage)));
			console.log(`· ${name} ${Math.round((performance.now() - start) / 1_000)} s`);
		}
	} finally {
		await stage.close();
	}
	console.log(table(rows));
	// What the README shows is a whole run.
	const name = quick || names.length > 0 ? 'results.part.json' : 'results.json';
	writeFileSync(path.join(ROOT, 'bench', name), `${JSON.stringify(rows, null, '\t')}\n`);
}

void main(process.argv.slice(2));
