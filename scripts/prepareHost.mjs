import { ensureHost } from './lib/install.mjs';
import { ensureTarball } from './lib/package.mjs';
import { runScript } from './lib/trouble.mjs';

/** What `npm start` runs beside the sandbox: installs n8n where it is missing, and builds the package. */
await runScript(async () => {
	await ensureHost();
	await ensureTarball();
});
