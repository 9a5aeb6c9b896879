import { ensureDevelopmentPackages } from './install.mjs';
import { PARTS, runParts } from './parts.mjs';
import { runScript } from './trouble.mjs';

/** `npm test`, and each part of it alone: `[part] [arguments for Jest]`. */
await runScript(async () => {
	const [first, ...others] = process.argv.slice(2);
	const isPart = PARTS.some(({ name }) => name === first);
	await ensureDevelopmentPackages();
	return await runParts(
		isPart ? PARTS.filter(({ name }) => name === first) : PARTS,
		isPart || first === undefined ? others : [first, ...others],
	);
});
