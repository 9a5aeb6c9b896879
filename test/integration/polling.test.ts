// What polls find is tested in test/unit/polling and test/fuzz/polling, and through a restart of n8n in test/e2e.
import { failureOf } from '../support/core/execute';
import { PolledWorkflow } from '../support/core/poll';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

test('a key that is wrong, or lacks the scope, is told with what to do in the message', async () => {
	const { baseUrl } = sandbox.credential();
	const { key } = await sandbox.control.createKey({ scopes: [] });
	const messageOf = async (apiKey: string) => {
		const parameters = { watch: 'messages', statuses: ['Read'] };
		const workflow = new PolledWorkflow({ credential: { baseUrl, apiKey }, parameters });
		return (await failureOf(workflow.poll())).message;
	};
	expect(await messageOf('wrong')).toContain('Check the API key of the credential');
	expect(await messageOf(key)).toContain('Add the scope chat:campaigns to the API key');
});

test('a message never goes back, and a campaign of 10,000 is watched to its oldest', async () => {
	const workflow = new PolledWorkflow({
		credential: sandbox.credential(),
		parameters: { watch: 'messages', statuses: ['Delivered', 'Failed'] },
	});
	expect(await workflow.poll()).toEqual([]);
	const ids = await sandbox.control.addMessages(10_000, { everyMs: 0 });
	expect(await workflow.poll()).toEqual([]);
	for (const id of [ids[0] ?? '', ids[9_999] ?? '']) {
		await sandbox.control.updateMessage(id, 'Delivered');
		expect(await workflow.poll()).toMatchObject([{ id, status: 'Delivered' }]);
		for (const status of ['Sent', 'Delivered'] as const) {
			await sandbox.control.updateMessage(id, status);
			expect(await workflow.poll()).toEqual([]);
		}
	}
	// With one request where nothing has happened.
	const before = (await sandbox.requests()).length;
	expect(await workflow.poll()).toEqual([]);
	expect(await sandbox.requests()).toHaveLength(before + 1);
});
