import type { Row } from './row';

/** The rows as a Markdown table. */
export function table(rows: Row[]): string {
	return [
		'| work | unit | this package | n8n | ratio | target | limit | ratio | target |',
		'|---|---|---:|---|---:|---:|---:|---:|---:|',
		...rows.map((row) => `| ${cells(row).join(' | ')} |`),
	].join('\n');
}

/** The rows as a Markdown table of what is compared, without targets and limits. */
export const shortTable = (rows: Row[]): string =>
	[
		'| work | unit | this package | n8n | ratio |',
		'|---|---|---:|---|---:|',
		...rows.map((row) => `| ${[...cells(row).slice(0, 4), figure(row.ratio)].join(' | ')} |`),
	].join('\n');

function cells(row: Row): string[] {
	const { name, unit, ours, peer, peerName, ratio, target, limit, limitRatio, limitTarget } = row;
	return [
		name,
		unit,
		figure(ours),
		peer === null ? '' : `${figure(peer)} (${peerName})`,
		judged(ratio, target),
		bar(target),
		figure(limit),
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

const bar = (target: number | null): string => (target === null ? '' : `≤ ${figure(target)}`);

/** A ratio above its bar is marked. */
function judged(ratio: number | null, target: number | null): string {
	return ratio !== null && target !== null && ratio > target ? `${figure(ratio)} ✗` : figure(ratio);
}
