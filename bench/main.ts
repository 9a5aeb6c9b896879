import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { putBlock } from '../harness/docs';
import { hostFolder } from '../harness/paths';
import { bulk } from './cases/bulk';
import { checks } from './cases/checks';
import { events } from './cases/events';
import { ofMany, ofOne, withKeys } from './cases/ledger';
import { lists } from './cases/lists';
import { paced, unpaced } from './cases/sends';
import { upload } from './cases/upload';
import { table, type Row } from './row';
import { Stage } from './stage';

/** In this order: what many sends leave in n8n's memory slows down what comes after them. */
const cases: Record<string, Array<(stage: Stage) => Promise<Row[]>>> = {
	bulk: [bulk],
	checks: [checks],
	upload: [upload],
	ledger: [ofMany, ofOne, withKeys],
	sends: [paced, unpaced],
	events: [events],
	lists: [lists],
};

/**
 * `npm run bench [-- --quick] [case …]`: measures and prints one table; a run of all cases in full size
 * also puts it into docs/performance.md. A case that fails is printed, and the others are still
 * measured. `--quick` does the same work in small.
 */
async function main(args: string[]): Promise<void> {
	const known = ['--quick', ...Object.keys(cases)];
	const unknown = args.filter((arg) => !known.includes(arg));
	if (unknown.length > 0) {
		console.error(`Unknown: ${unknown.join(', ')}. Choose from ${known.join(', ')}, faults.`);
		process.exitCode = 1;
		return;
	}
	const isQuick = args.includes('--quick');
	const wanted = args.filter((arg) => arg in cases);
	const rows: Row[] = [];
	const stage = await Stage.open(isQuick);
	try {
		for (const name of Object.keys(cases)) {
			if (wanted.length > 0 && !wanted.includes(name)) continue;
			const start = performance.now();
			for (const measure of cases[name] ?? []) {
				try {
					await stage.sandbox.control.clearFaults();
					await stage.settle();
					rows.push(...(await measure(stage)));
				} catch (error) {
					console.error(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
					process.exitCode = 1;
				}
			}
			console.log(`· ${name} ${Math.round((performance.now() - start) / 1_000)} s`);
		}
	} finally {
		await stage.close();
	}
	const report = [table(rows), `Measured on ${machine()}.`].join('\n\n');
	console.log(report);
	const isWhole = !isQuick && wanted.length === 0 && process.exitCode === undefined;
	if (isWhole) putBlock('docs/performance.md', 'bench', report);
}

/** What a measurement is made on. */
function machine(): string {
	const version = (name: string) => {
		const manifest = path.join(hostFolder, 'node_modules', name, 'package.json');
		return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
	};
	const cpus = os.cpus();
	return [
		`${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}`,
		`${Math.round(os.totalmem() / 2 ** 30)} GiB`,
		`${os.type()} ${os.arch()}`,
		`n8n ${version('n8n')}`,
		`Node.js ${version('node')}`,
	].join(', ');
}

void main(process.argv.slice(2));
