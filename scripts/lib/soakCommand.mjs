import { foregroundNode } from './command.mjs';
import { ensureDevelopmentPackages, ensureHost } from './install.mjs';
import { ensureTarball } from './package.mjs';
import { runScript } from './trouble.mjs';

/** `npm run soak`: installs what is missing, builds, and hands over to `bench/soak/main.ts`. */
await runScript(async () => {
	await ensureDevelopmentPackages();
	await ensureHost();
	await ensureTarball();
	return await foregroundNode(['--import', 'tsx', 'bench/soak/main.ts', ...process.argv.slice(2)]);
});
