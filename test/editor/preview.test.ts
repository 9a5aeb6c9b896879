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

test('the values of a template are numbered as its placeholders are', async () => {
	const { editor, n8n } = tests;
	const parameters = {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		parametersUi: { parameter: [{ value: 'Anna' }, { value: '12:30' }] },
	};
	const send = messagingService(parameters, tests.credential, { name: 'Send' });
	const id = await n8n.createWorkflow(chain('Numbered', [manualTrigger(), send]));
	await editor.openWorkflow(id);
	const view = await NodeView.open(editor, 'Send');
	await editor
		.byId('ndv')
		.getByText('The first value is for {{1}}, the second for {{2}}')
		.waitFor();
	await view.close();

	// n8n has a new form of lists, which it shows to some users; only this one has room for numbers.
	const flag = JSON.stringify({ '048_collection_overhaul': 'variant' });
	await editor.page.evaluate(`localStorage.setItem('N8N_EXPERIMENT_OVERRIDES', '${flag}')`);
	await editor.page.reload();
	await NodeView.open(editor, 'Send');
	const list = editor.byId('ndv');
	await list.getByText('{{1}}', { exact: true }).waitFor();
	await list.getByText('{{2}}', { exact: true }).waitFor();
	await takePicture(editor, 'numbered');
});
