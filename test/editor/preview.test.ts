import { NodeView, takePicture, useEditor } from '../support/editor';
import { chain, manualTrigger, messagingService, noOp } from '../../harness';

const tests = useEditor('Preview');

test('what a node gives is shown before anything has been sent', async () => {
	const { editor, n8n, sandbox } = tests;
	const parameters = { resource: 'chatMessage', operation: 'sendTemplate' };
	const send = messagingService(parameters, tests.credential, { name: 'Send' });
	const workflow = chain('Preview', [manualTrigger(), send, noOp('Next')]);
	await editor.openWorkflow(await n8n.createWorkflow(workflow));
	await editor.node('Send').getByText('Send Template: Chat Message', { exact: true }).waitFor();
	const view = await NodeView.open(editor, 'Next');
	expect(await view.input('providerMessageId')).toContain('remainingBalance');
	await takePicture(editor, 'preview', true);
	expect(await sandbox.control.messages()).toEqual([]);
});
