import { attachN8n, chain, manualTrigger, messagingService } from '../../harness';
import { useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

/** What Check Setup says in this n8n, with a key. */
async function checks(apiKey = triggers.sandbox.keys.production) {
	const { baseUrl } = triggers.sandbox;
	const credential = await n8n.createCredential('Check', { baseUrl, apiKey });
	const parameters = { resource: 'account', operation: 'checkSetup' };
	const id = await n8n.createWorkflow(
		chain('Check', [manualTrigger(), messagingService(parameters, credential)]),
	);
	const execution = await n8n.run(id);
	expect(execution.error).toBeUndefined();
	return execution.json('Messaging Service');
}

test('the advice for a registration that was deleted behind n8n’s back leads to the mend', async () => {
	const { control } = triggers.sandbox;
	const { id, webhookId } = await triggers.create();
	await n8n.publish(id);
	const { id: registration } = await triggers.only(webhookId);
	const registrations = async () =>
		(await checks()).filter(({ check }) => String(check).startsWith('registration'));
	expect(await registrations()).toEqual([
		expect.objectContaining({ check: 'registrations', ok: true }),
		expect.objectContaining({
			check: 'registration',
			ok: true,
			message: expect.stringContaining(webhookId) as string,
		}),
	]);

	await control.removeWebhook(registration);
	const [deaf, ...others] = await registrations();
	expect(others).toEqual([]);
	expect(deaf).toMatchObject({ check: 'registrations', ok: false });
	expect(deaf?.advice).toContain('unpublish it, then publish it');

	await n8n.unpublish(id);
	await n8n.publish(id);
	expect((await registrations()).map(({ ok }) => ok)).toEqual([true, true]);
	const [answer] = await control.emit({ webhookId: (await triggers.only(webhookId)).id });
	expect(answer?.status).toBe(200);
	await n8n.waitForExecutions(id, 1);
	await n8n.unpublish(id);
});

test('a wrong key is a result', async () => {
	const [key, ...others] = await checks('msk_wrong_key');
	expect(key).toMatchObject({ check: 'key', ok: false });
	expect(key?.message).toMatch(/^Unauthorized/);
	expect(others.filter(({ ok }) => ok === false).map(({ check }) => check)).toEqual(['webhookUrl']);
});
