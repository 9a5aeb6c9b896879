import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withBlock } from '../harness/docs';
import { hostFolder, rootFolder } from '../harness/paths';
import { missed, table, type Row } from './row';

const file = path.join(rootFolder, 'bench/results.json');

/** The last run of each case, and what it was made on. */
type Results = Record<string, { machine: string; rows: Row[] }>;

/** Every table that is made from bench/results.json: path in the clone, name of the block, and text. */
export const resultTables = [
	{ file: 'docs/performance.md', name: 'bench', content: () => report(readResults()) },
];

/** What a measurement is made on, in one line. */
export function machine(): string {
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

/** The table, what misses its target, and the machines. */
function report(results: Results): string {
	const rows = Object.values(results).flatMap((one) => one.rows);
	const machines = [...new Set(Object.values(results).map((one) => one.machine))].map((name) => {
		const cases = Object.keys(results).filter((key) => results[key]?.machine === name);
		return `${cases.join(', ')}: ${name}`;
	});
	const list = (lines: string[]) => lines.map((line) => `- ${line}`).join('\n');
	return [table(rows), 'Missed targets:', list(missed(rows)), 'Measured on:', list(machines)].join(
		'\n\n',
	);
}

const readResults = (): Results =>
	existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};

/**
 * Puts the rows in the place of what was measured of their cases before, and writes the table.
 *
 * @param order all cases, in the order of the table; others are removed
 */
export function saveResults(measured: Record<string, Row[]>, order: string[]): void {
	const known = readResults();
	for (const [name, rows] of Object.entries(measured)) known[name] = { machine: machine(), rows };
	const results = order.flatMap((name) => (known[name] ? [[name, known[name]]] : []));
	writeFileSync(file, `${JSON.stringify(Object.fromEntries(results), null, '\t')}\n`);
	for (const { file, name, content } of resultTables) {
		const target = path.join(rootFolder, file);
		writeFileSync(target, withBlock(readFileSync(target, 'utf8'), name, content()));
	}
}
