/**
 * Lets the nodes' waits of up to two seconds pass at once: between the tries of a read or of a write into
 * n8n's database, and of the shortest Wait at Most. Is imported before the nodes.
 */
jest.mock('n8n-workflow', () => {
	const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	const sleep: typeof actual.sleep = async (ms, signal) =>
		await actual.sleep(ms <= 2_000 ? 1 : ms, signal);
	return { ...actual, sleep };
});
