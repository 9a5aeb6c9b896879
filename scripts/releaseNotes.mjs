import { readFileSync } from 'node:fs';
import { runScript, Trouble } from './lib/command.mjs';

/** Prints the changelog's entry for a version: `node scripts/releaseNotes.mjs 0.2.0`. */
await runScript(async () => {
	const [, , version] = process.argv;
	const [, ...entries] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
	const entry = entries.find((one) => one.split(/\s/)[0] === version) ?? '';
	const [heading = '', ...lines] = entry.split('\n');
	const isDated = /^\S+ \(\d{4}-\d\d-\d\d\)$/.test(heading.trim());
	const notes = lines.join('\n').trim();
	if (!isDated || !notes)
		throw new Trouble(`Give CHANGELOG.md an entry for ${version}: "## ${version} (2027-01-31)"`);
	console.log(notes);
});
