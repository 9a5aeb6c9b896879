import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../harness/paths';
import { withBlock } from '../harness/docs';
import { machine } from './machine';
import type { Row } from './row';
import { missed, shortTable, table } from './table';

const file = path.join(rootFolder, 'bench/results.json');

/** The last run of each case, and what it was made on. */
type Results = Record<string, { machine: string; rows: Row[] }>;

/** The README's figures, by a part of their names: one of each kind of work, also one that misses its target. */
const figures = [
	'1,000 template sends, 50 at once',
	'10,000 template sends, default settings: memory',
	'100,000 recipients in bulk',
	'upload of 300 MB from disk: memory',
	'signed events',
];

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
	{ file: 'README.md', name: 'figures', content: () => shortTable(chosen(readRows())) },
	{ file: 'docs/performance.md', name: 'bench', content: () => report(readResults()) },
];

const readRows = (): Row[] => Object.values(readResults()).flatMap(({ rows }) => rows);

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

/** @throws when a figure is not measured any more */
const chosen = (rows: Row[]): Row[] =>
	figures.map((name) => {
		const row = rows.find((one) => one.name.includes(name));
		if (!row) throw new Error(`bench/results.json has no "${name}"`);
		return row;
	});

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
