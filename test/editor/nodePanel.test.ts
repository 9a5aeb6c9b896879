import { NodePanel, NodeView, takePicture, useEditor } from '../support/editor';
import { chain, manualTrigger, waitFor } from '../../harness';

const tests = useEditor('Node panel');

test('events are found, though n8n lists the trigger under the node', async () => {
	const panel = await NodePanel.ofEmptyWorkflow(tests.editor);
	await panel.search('message delivered');
	await panel.openNode('Messaging Service');
	await panel.entry('On message delivered').waitFor();
	expect(await panel.entries()).toEqual([
		'On message delivered',
		'On message failed',
		'On message read',
		'On message sent',
	]);
	await takePicture(tests.editor, 'search-events');
});

test('the polling trigger says what it starts on', async () => {
	const { editor } = tests;
	const panel = await NodePanel.ofEmptyWorkflow(editor);
	await panel.search('low balance');
	// n8n leaves out the word Trigger where it lists triggers.
	await panel.openNode('Messaging Service Polling');
	await panel.entry('On low balance').waitFor();
	expect(await panel.entries()).toEqual([
		'On low balance',
		'On message status change',
		'On phone number change',
		'On voice call change',
		'On lost webhook',
	]);
	await panel.entry('On voice call change').click();
	const view = new NodeView(editor);
	expect(await view.field('watch').inputValue()).toBe('Voice Calls');
	await view.close();
	const trigger = editor.node('Messaging Service Polling Trigger');
	await trigger.getByText('Voice Calls', { exact: true }).waitFor();
});

describe('an empty workflow', () => {
	test('offers the node to those who search for what it does', async () => {
		const panel = await NodePanel.ofEmptyWorkflow(tests.editor);
		const found = panel.entry('Messaging Service');
		for (const text of [
			'text message',
			'sms',
			'messenger',
			'broadcast',
			'campaign',
			'phone call',
			'low balance',
			'approval',
			'notify',
			'verification code',
			'2fa',
			'send file',
			'bulk sms',
			'text to speech',
			'dial',
		]) {
			await panel.search('nothing of that name');
			await found.waitFor({ state: 'detached' });
			await panel.search(text);
			await waitFor(`"${text}" to find it`, async () => (await found.isVisible()) || undefined);
		}
	});

	test('offers actions where it offers events', async () => {
		const { editor } = tests;
		const panel = await NodePanel.ofEmptyWorkflow(editor);
		await panel.search('text message');
		await panel.openNode('Messaging Service');
		await panel.openActions();
		await panel.entry('Send a template message').click();
		const view = new NodeView(editor);
		expect(await view.field('operation').inputValue()).toBe('Send Template');
		await view.close();
		// n8n starts the workflow with a click by itself.
		expect(await editor.byId('canvas-node').count()).toBe(2);
	});
});

describe('an action is found by what it does', () => {
	beforeAll(async () => {
		const workflow = chain('Node panel', [manualTrigger()]);
		await tests.editor.openWorkflow(await tests.n8n.createWorkflow(workflow));
	});

	test.each([
		['send template', 'Send a template message', 'Chat Message', 'Send Template'],
		['voice call', 'Place a voice call', 'Voice Call', 'Create'],
		['bulk', 'Create a bulk campaign', 'Bulk Campaign', 'Create'],
		['balance', 'Get the account balance', 'Account', 'Get Balance'],
	])('%s', async (search, action, resource, operation) => {
		const { editor } = tests;
		const panel = await NodePanel.open(editor);
		await panel.search(search);
		await panel.openNode('Messaging Service');
		await panel.entry(action).waitFor();
		await takePicture(editor, `search-${search.replace(' ', '-')}`, search === 'send template');
		await panel.entry(action).click();
		const view = new NodeView(editor);
		expect(await view.field('resource').inputValue()).toBe(resource);
		expect(await view.field('operation').inputValue()).toBe(operation);
		await view.close();
	});
});
