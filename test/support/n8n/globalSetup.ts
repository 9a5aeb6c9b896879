/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs on the developer's machine, never inside n8n */
import { startN8n, type N8n } from './n8n';
import { share } from './shared';

declare global {
	var sharedN8n: N8n | undefined;
}

/** Jest runs it once before the first end-to-end test. */
export default async function setUp(): Promise<void> {
	globalThis.sharedN8n = await startN8n();
	share(globalThis.sharedN8n.session);
}
