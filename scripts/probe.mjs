import './lib/requireNode.mjs';
import { foregroundNode, runScript } from './lib/command.mjs';
import { ensureDevelopmentPackages } from './lib/install.mjs';

/** `npm run probe`: installs what is missing and hands over to `scripts/probe/main.ts`. */
runScript(async () => {
	await ensureDevelopmentPackages();
	const args = ['--import', 'tsx', 'scripts/probe/main.ts', ...process.argv.slice(2)];
	return await foregroundNode(args);
});
