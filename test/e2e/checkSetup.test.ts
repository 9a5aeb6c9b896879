import { attachN8n, chain, manualTrigger, messagingService } from '../../harness';
import { useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

test('the advice for a registration that was deleted behind n8n’s back leads to the mend', async () => {
	const { credential, sandbox } = triggers;
	const { control } = sandbox;
	const { id, webhookId } = await triggers.create();
	await n8n.publish(id);
	const { id: registration } = await triggers.only(webhookId);
	const check = messagingService({ resource: 'account', operation: 'checkSetup' }, credential);
	const checking = await n8n.createWorkflow(chain('Check', [manualTrigger(), check]));
	const registrations = async () =>
		(await n8n.run(checking))
			.json('Messaging Service')
			.filter(({ check }) => String(check).startsWith('registration'));
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
