/**
 * Lets the nodes' waits of up to a second, the shortest of Wait at Most, pass at once. Is
 * imported before the nodes.
 */
jest.mock('n8n-workflow', () => {
	const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	const sleep: typeof actual.sleep = async (ms, signal) =>
		await actual.sleep(ms <= 1_000 ? 1 : ms, signal);
	return { ...actual, sleep };
});
