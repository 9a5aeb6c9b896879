import { foregroundNode } from './command.mjs';
import { ensureDevelopmentPackages } from './install.mjs';
import { runScript } from './trouble.mjs';

/** `npm start`: installs the development packages and hands over to `scripts/start/main.ts`. */
await runScript(async () => {
	await ensureDevelopmentPackages();
	const args = ['--import', 'tsx', 'scripts/start/main.ts', ...process.argv.slice(2)];
	return await foregroundNode(args);
});
