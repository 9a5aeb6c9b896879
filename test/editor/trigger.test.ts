import { NodePanel, NodeView, takePicture, useEditor } from '../support/editor';
import { waitFor } from '../../harness';

const tests = useEditor('Trigger');

test('the trigger is added, listens, and shows the event that the service sends', async () => {
	const { editor, sandbox } = tests;
	const panel = await NodePanel.ofEmptyWorkflow(editor);
	await panel.search('messaging service');
	await panel.openNode('Messaging Service');
	await panel.entry('On message delivered').click();
	const view = new NodeView(editor);
	await view.chooseCredential(tests.credential);
	await view.execute();
	await editor.byId('trigger-listening').waitFor();

	const webhook = await waitFor('the registration', async () =>
		(await sandbox.control.webhooks()).at(0),
	);
	expect(webhook).toMatchObject({ events: ['message.delivered'], isActive: true });
	const to = '919876500001';
	const [delivery] = await sandbox.control.emit({ event: 'message.delivered', data: { to } });
	expect(delivery?.status).toBe(200);
	expect(await view.output(to)).toContain('message.delivered');
	await takePicture(editor, 'trigger', true);
});
