import { mkdirSync, rmSync } from 'node:fs';
import { startN8n, type N8n, type StartOptions } from './n8n';
import { leftBehind } from './paths';
import { keepFolders } from './supervised';
import { variable } from './shared';

declare global {
	var sharedN8n: N8n | undefined;
}

/** Starts the n8n that the tests of one project share; `globalTeardown.ts` stops it. */
export async function shareN8n(options: StartOptions = {}): Promise<void> {
	rmSync(leftBehind, { recursive: true, force: true });
	mkdirSync(leftBehind, { recursive: true });
	// Jest's workers and the programs that tests start inherit it.
	process.env[keepFolders] = leftBehind;
	globalThis.sharedN8n = await startN8n(options);
	process.env[variable] = JSON.stringify(globalThis.sharedN8n.session);
}

/** Jest runs it once before the first end-to-end test. */
export default async function setUp(): Promise<void> {
	await shareN8n();
}
