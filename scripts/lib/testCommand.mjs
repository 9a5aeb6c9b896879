import { ensureDevelopmentPackages } from './install.mjs';
import { extraParts, parts, runParts } from './parts.mjs';
import { runScript } from './trouble.mjs';

/** `npm test`, and each part of it alone: `[part] [arguments for Jest]`. */
await runScript(async () => {
	const [first, ...others] = process.argv.slice(2);
	const named = [...parts, ...extraParts].filter(({ name }) => name === first);
	const isPart = named.length > 0;
	await ensureDevelopmentPackages();
	return await runParts(
		isPart ? named : parts,
		isPart || first === undefined ? others : [first, ...others],
	);
});
