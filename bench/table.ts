import { shortfall, type Row } from './row';

/** The rows as a Markdown table. */
export function table(rows: Row[]): string {
	return [
		'| work | unit | this package | at most | n8n | ratio | target | limit | ratio | target |',
		'|---|---|---:|---:|---|---:|---:|---|---:|---:|',
		...rows.map((row) => `| ${cells(row).join(' | ')} |`),
	].join('\n');
}

/** The rows that miss a target, with how often they take it. */
export const missed = (rows: Row[]): string[] =>
	rows
		.filter((row) => shortfall(row) > 1)
		.map((row) => `✗ ${row.name}: ${figure(shortfall(row))} times its target`);

function cells(row: Row): string[] {
	const { name, unit, ours, most, ratio, target, limitRatio, limitTarget } = row;
	return [
		name,
		unit,
		judged(ours, most),
		bar(most),
		named(row.peer, row.peerName),
		judged(ratio, target),
		bar(target),
		named(row.limit, row.limitName),
		judged(limitRatio, limitTarget),
		bar(limitTarget),
	];
}

/** Three digits are all that a measurement can claim. */
function figure(value: number | null): string {
	if (value === null) return '';
	return value >= 100
		? Math.round(value).toLocaleString('en')
		: String(Number(value.toPrecision(3)));
}

const named = (value: number | null, name: string | null): string =>
	value === null ? '' : `${figure(value)} (${name})`;

const bar = (target: number | null): string => (target === null ? '' : `≤ ${figure(target)}`);

/** A figure above its bar is marked. */
function judged(value: number | null, target: number | null): string {
	return value !== null && target !== null && value > target ? `${figure(value)} ✗` : figure(value);
}
