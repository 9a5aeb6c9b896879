/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- runs on the developer's machine, never inside n8n */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../test/support/n8n';
import { bulk } from './cases/bulk';
import { events } from './cases/events';
import { table, type Row } from './row';
import { openStage, type Stage } from './stage';

const cases: Record<string, (stage: Stage) => Promise<Row[]>> = { bulk, events };

/** `npm run bench [-- --quick] [case …]`: measures, prints one table, writes bench/results.json. */
async function main(args: string[]): Promise<void> {
	const names = args.filter((arg) => !arg.startsWith('--'));
	const stage = await openStage(args.includes('--quick'));
	const rows: Row[] = [];
	try {
		for (const [name, measure] of Object.entries(cases)) {
			if (names.length > 0 && !names.includes(name)) continue;
			console.log(`· ${name}`);
			rows.push(...(await measure(stage)));
		}
	} finally {
		await stage.close();
	}
	console.log(table(rows));
	writeFileSync(path.join(ROOT, 'bench/results.json'), `${JSON.stringify(rows, null, '\t')}\n`);
}

void main(process.argv.slice(2));
