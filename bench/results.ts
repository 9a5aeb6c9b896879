import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../harness/paths';
import { withBlock } from '../harness/docs';
import { machine } from './machine';
import type { Row } from './row';
import { missed, table } from './table';

const file = path.join(rootFolder, 'bench/results.json');

/** The last run of each case, and what it was made on. */
type Results = Record<string, { machine: string; rows: Row[] }>;

/** A table that is made from the results. */
export interface ResultTable {
	/** Path in the clone. */
	file: string;
	/** Stands in the two comments around it. */
	name: string;
	content(): string;
}

/** Every table that is made from bench/results.json. */
export const resultTables: ResultTable[] = [
	{ file: 'docs/performance.md', name: 'bench', content: () => report(readResults()) },
];

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
 * Puts the rows in the place of what was measured of their cases before, and writes the tables.
 *
 * @param order all cases, in the order of the tables; others are removed
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
