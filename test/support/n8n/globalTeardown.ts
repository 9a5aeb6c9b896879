/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs on the developer's machine, never inside n8n */

/** Jest runs it once after the last end-to-end test. */
export default async function tearDown(): Promise<void> {
	await globalThis.sharedN8n?.stop();
}
