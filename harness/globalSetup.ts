import { mkdirSync, rmSync } from 'node:fs';
import { startN8n, type N8n } from './n8n';
import { leftBehind } from './paths';
import { keepFolders } from './supervised';
import { variable } from './shared';

declare global {
	var sharedN8n: N8n | undefined;
}

/** Jest runs it once before the first test in n8n: starts the n8n that the test files share. */
export default async function setUp(): Promise<void> {
	rmSync(leftBehind, { recursive: true, force: true });
	mkdirSync(leftBehind, { recursive: true });
	// Jest's workers and the programs that tests start inherit it.
	process.env[keepFolders] = leftBehind;
	globalThis.sharedN8n = await startN8n({ env: { N8N_DISABLE_UI: 'false' } });
	process.env[variable] = JSON.stringify(globalThis.sharedN8n.session);
}
