/** Jest runs it once after the last end-to-end test. */
export default async function tearDown(): Promise<void> {
	await globalThis.sharedN8n?.stop();
}
