import { foregroundNode } from './command.mjs';
import { ensureDevelopmentPackages, ensureHost } from './install.mjs';
import { ensureTarball } from './package.mjs';
import { runScript } from './trouble.mjs';

/** `npm start`: installs what is missing, builds, and hands over to `scripts/start/main.ts`. */
await runScript(async () => {
	await ensureDevelopmentPackages();
	await ensureHost();
	await ensureTarball();
	const args = ['--import', 'tsx', 'scripts/start/main.ts', ...process.argv.slice(2)];
	return await foregroundNode(args);
});
