import { NodeView, takePicture, useEditor } from '../support/editor';
import { chain, manualTrigger, messagingService, messagingServiceTrigger } from '../../harness';

const tests = useEditor('Check Setup');

test('the output shows what is not as it should be, and what to do', async () => {
	const { editor, n8n, sandbox, credential } = tests;
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
	const listening = await n8n.createWorkflow(chain('Listening', [trigger]));
	await n8n.publish(listening);
	try {
		for (const { id } of await sandbox.control.webhooks()) await sandbox.control.removeWebhook(id);
		const check = messagingService({ resource: 'account', operation: 'checkSetup' }, credential);
		await editor.openWorkflow(await n8n.createWorkflow(chain('Check', [manualTrigger(), check])));
		const view = await NodeView.open(editor, 'Messaging Service');
		await view.execute();
		const output = await view.output('no Messaging Service Trigger of it hears anything');
		expect(output).toContain('unpublish it, then publish it');
		const row = editor.byId('output-panel').getByText('no Messaging Service Trigger of it hears');
		await row.scrollIntoViewIfNeeded();
		await takePicture(editor, 'check-setup', true);
	} finally {
		await n8n.unpublish(listening);
	}
});
