import { foregroundNode } from './command.mjs';
import { ensureDevelopmentPackages, ensureHost } from './install.mjs';
import { ensureTarball } from './package.mjs';
import { runScript } from './trouble.mjs';

/** `npm run bench`: installs what is missing, builds, and hands over to `bench/main.ts`. */
await runScript(async () => {
	await ensureDevelopmentPackages();
	await ensureHost();
	await ensureTarball();
	const args = ['--import', 'tsx', 'bench/main.ts', ...process.argv.slice(2)];
	return await foregroundNode(args);
});
