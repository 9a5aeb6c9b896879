import './lib/requireNode.mjs';
import { foregroundNode, runScript } from './lib/command.mjs';
import { ensureEverything } from './lib/install.mjs';

/** `npm start`: installs what is missing, builds the package and hands over to `scripts/start/main.ts`. */
runScript(async () => {
	await ensureEverything();
	const args = ['--import', 'tsx', 'scripts/start/main.ts', ...process.argv.slice(2)];
	return await foregroundNode(args);
});
