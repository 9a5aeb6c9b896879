import './lib/requireNode.mjs';
import { foregroundNode } from './lib/command.mjs';
import { ensureDevelopmentPackages } from './lib/install.mjs';
import { runScript } from './lib/trouble.mjs';

/** `npm start`: installs the development packages and hands over to `scripts/start/main.ts`. */
runScript(async () => {
	await ensureDevelopmentPackages();
	const args = ['--import', 'tsx', 'scripts/start/main.ts', ...process.argv.slice(2)];
	return await foregroundNode(args);
});
