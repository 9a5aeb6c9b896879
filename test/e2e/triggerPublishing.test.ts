import { randomUUID } from 'node:crypto';
import { attachN8n, waitFor, type CredentialRef } from '../../harness';
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

describe('activation that fails', () => {
	const failing = async (
		make: () => Promise<CredentialRef>,
		prepare: (webhookId: string) => Promise<void> = async () => {},
	) => {
		const { id, webhookId } = await triggers.create({}, await make());
		await prepare(webhookId);
		const error = await n8n.publish(id).then(
			() => undefined,
			(reason: Error) => reason.message,
		);
		return { id, webhookId, error };
	};
	const at = async (baseUrl: string, apiKey: string) =>
		await n8n.createCredential(`Failing ${randomUUID()}`, { baseUrl, apiKey });

	test('says what to do, and the next publish leaves one registration', async () => {
		const { baseUrl, keys } = triggers.sandbox;
		const { key: withoutScope } = await triggers.sandbox.control.createKey({
			scopes: ['balance:read'],
		});
		const refuse = (status: number, error: string) => async (webhookId: string) => {
			await triggers.sandbox.control.addFault({
				kind: 'status',
				method: 'POST',
				path: '/chat/webhooks',
				status,
				body: { error },
				bodyContains: webhookId,
				count: 'infinite',
			});
		};
		const good = async () => await Promise.resolve(triggers.credential);
		// n8n tries each five times with growing pauses, so they wait side by side.
		const [badKey, noScope, failure, plainHttp, offline, lost] = await Promise.all([
			failing(async () => await at(baseUrl, 'nonsense')),
			failing(async () => await at(baseUrl, withoutScope)),
			failing(good, refuse(500, 'Out of order')),
			failing(good, refuse(400, 'url must be a valid HTTPS URL')),
			failing(async () => await at('http://127.0.0.1:9/api/v1', keys.production)),
			failing(good, async (webhookId) => {
				// Registered, but the answer with the secret never arrives.
				await triggers.sandbox.control.addFault({
					kind: 'cut',
					method: 'POST',
					path: '/chat/webhooks',
					when: 'after',
					bodyContains: webhookId,
					count: 'infinite',
				});
			}),
		]);
		expect(badKey.error).toContain('Unauthorized: Invalid or missing API key. Check the API key');
		expect(noScope.error).toContain("does not have the 'chat:send' permission.");
		expect(noScope.error).toContain('Add the scope chat:send');
		expect(failure.error).toContain('Out of order.');
		expect(plainHttp.error).toContain('WEBHOOK_URL');
		expect(offline.error).toContain('refused the connection');
		expect(offline.error).toContain('Check the base URL');
		expect(lost.error).toContain('was cut before the answer was complete');

		await triggers.sandbox.control.clearFaults();
		for (const { id, webhookId } of [failure, plainHttp, lost]) {
			expect(await triggers.registrations(webhookId)).toEqual([]);
			await n8n.publish(id);
			await triggers.only(webhookId);
			await n8n.unpublish(id);
			expect(await triggers.registrations(webhookId)).toEqual([]);
		}
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
