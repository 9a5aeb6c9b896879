/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs on the developer's machine, never inside n8n */
import { startN8n, type N8n, type StartOptions } from './n8n';
import { share } from './shared';

declare global {
	var sharedN8n: N8n | undefined;
}

/** Starts the n8n that the tests of one project share; `globalTeardown.ts` stops it. */
export async function shareN8n(options: StartOptions = {}): Promise<void> {
	globalThis.sharedN8n = await startN8n(options);
	share(globalThis.sharedN8n.session);
}

/** Jest runs it once before the first end-to-end test. */
export default async function setUp(): Promise<void> {
	await shareN8n();
}
