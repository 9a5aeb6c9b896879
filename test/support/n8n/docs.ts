/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs on the developer's machine, never inside n8n */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths';

/**
 * Puts a measured table between its two markers in docs/reliability.md, but only when asked to by
 * UPDATE_DOCS=1: a test run leaves the clone as it is.
 */
export function writeTable(name: string, table: string): void {
	if (process.env.UPDATE_DOCS !== '1') return;
	const file = path.join(ROOT, 'docs/reliability.md');
	const between = new RegExp(`(<!-- ${name} -->)[\\s\\S]*?(<!-- /${name} -->)`);
	const text = readFileSync(file, 'utf8').replace(between, `$1\n\n${table}\n\n$2`);
	writeFileSync(file, text);
}
