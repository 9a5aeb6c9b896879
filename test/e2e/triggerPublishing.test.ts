import { attachN8n, waitFor } from '../../harness';
import { useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

describe('testing in the editor', () => {
	/** n8n removes the test registration a moment after the event or the click on "Stop". */
	const testingOver = async (webhookId: string) =>
		await waitFor('the test registration to be removed', async () =>
			(await triggers.registrations(webhookId)).length === 1 ? true : undefined,
		);

	test('has a registration of its own and leaves the published one alone', async () => {
		const { id, webhookId } = await triggers.create();
		await n8n.publish(id);
		const published = await triggers.only(webhookId);
		await n8n.listen(id);
		const both = await triggers.registrations(webhookId);
		expect(both).toHaveLength(2);
		const testing = both.find(({ url }) => url !== published.url);
		expect(testing?.url).toContain('/webhook-test/');
		const [answer] = await triggers.sandbox.control.emit({ webhookId: testing?.id });
		expect(answer?.status).toBe(200);
		const [manual] = await n8n.waitForExecutions(id, 1);
		expect(manual?.mode).toBe('manual');
		await testingOver(webhookId);
		expect(await triggers.only(webhookId)).toEqual(published);

		await n8n.listen(id);
		await n8n.stopListening(id);
		await testingOver(webhookId);
		expect(await triggers.only(webhookId)).toEqual(published);
		await triggers.sandbox.control.emit({ webhookId: published.id });
		expect(await n8n.waitForExecutions(id, 2)).toHaveLength(2);
		await n8n.unpublish(id);
	});
});

describe('a publish that fails', () => {
	test('says what to do and leaves nothing, the next one leaves one registration', async () => {
		const { id, webhookId } = await triggers.create();
		// Registered, but the answer with the secret never arrives.
		await triggers.sandbox.control.addFault({
			kind: 'cut',
			method: 'POST',
			path: '/chat/webhooks',
			when: 'after',
			count: 'infinite',
		});
		await expect(n8n.publish(id)).rejects.toThrow('was cut before the answer was complete');
		expect(await triggers.registrations(webhookId)).toEqual([]);
		await triggers.sandbox.control.clearFaults();
		await n8n.publish(id);
		await triggers.only(webhookId);
		await n8n.unpublish(id);
		expect(await triggers.registrations(webhookId)).toEqual([]);
	});

	test('a deletion that fails is made up for by the next publish', async () => {
		const { id, webhookId } = await triggers.create();
		await n8n.publish(id);
		await triggers.sandbox.control.addFault({
			kind: 'status',
			method: 'DELETE',
			path: '/chat/webhooks',
			status: 500,
			body: { error: 'No' },
			count: 'infinite',
		});
		await n8n.unpublish(id);
		expect(await triggers.registrations(webhookId)).toHaveLength(1);
		await triggers.sandbox.control.clearFaults();
		await n8n.publish(id);
		const { id: registration } = await triggers.only(webhookId);
		await triggers.sandbox.control.emit({ webhookId: registration });
		expect(await n8n.waitForExecutions(id, 1)).toHaveLength(1);
		await n8n.unpublish(id);
		expect(await triggers.registrations(webhookId)).toEqual([]);
	});
});
