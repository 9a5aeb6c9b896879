import './lib/requireNode.mjs';
import { runScript } from './lib/command.mjs';
import { ensureDevelopmentPackages } from './lib/install.mjs';
import { extraParts, parts, runParts } from './lib/parts.mjs';

/** `npm test`, and each part of it alone: `[part] [arguments for Jest]`. */
runScript(async () => {
	// npm drops the "--" in front of Jest's arguments; without npm it may be there.
	const args = process.argv.slice(2).filter((arg) => arg !== '--');
	const named = [...parts, ...extraParts].filter(({ name }) => name === args[0]);
	await ensureDevelopmentPackages();
	return named.length > 0 ? await runParts(named, args.slice(1)) : await runParts(parts, args);
});
