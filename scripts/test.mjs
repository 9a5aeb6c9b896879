import './lib/requireNode.mjs';
import { runScript } from './lib/command.mjs';
import { ensureDevelopmentPackages, ensureEverything } from './lib/install.mjs';
import { ensurePrograms, extraParts, rows, runRows } from './lib/parts.mjs';

/** `npm test`, and each part of it alone: `[part] [arguments for Jest]`. */
runScript(async () => {
	// npm drops the "--" in front of Jest's arguments; without npm it may be there.
	const args = process.argv.slice(2).filter((arg) => arg !== '--');
	const named = [...rows.flat(), ...extraParts].filter(({ name }) => name === args[0]);
	if (named.length > 0) {
		await ensureDevelopmentPackages();
		return await runRows([named], args.slice(1));
	}
	// First what a person may have to install.
	await ensurePrograms();
	await ensureEverything();
	return await runRows(rows, args);
});
