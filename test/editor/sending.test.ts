import type { NodeExtra } from '../../harness';
import type { INodeParameters } from 'n8n-workflow';
import { askService } from '../support/e2e/askService';
import { NodeView, takePicture, useEditor } from '../support/editor';
import {
	chain,
	connect,
	items,
	joined,
	manualTrigger,
	messagingService,
	noOp,
} from '../../harness';

const tests = useEditor('Sending');

const template = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	templateName: 'order_update',
};

const sendNode = (parameters: INodeParameters, extra: NodeExtra = {}) =>
	messagingService({ ...template, ...parameters }, tests.credential, { name: 'Send', ...extra });

/** The view of the node "Send" in a new workflow. */
async function openSend(phone: string): Promise<NodeView> {
	const workflow = chain(`Send to ${phone}`, [manualTrigger(), sendNode({ phone })]);
	await tests.editor.openWorkflow(await tests.n8n.createWorkflow(workflow));
	return await NodeView.open(tests.editor, 'Send');
}

const sent = async () => await tests.sandbox.control.messages();

beforeEach(async () => {
	await tests.sandbox.control.reset();
	await tests.sandbox.control.setLifecycle({ enabled: false });
});

test('the sending number is chosen from a list, and the output shows what the service said', async () => {
	const { editor } = tests;
	const view = await openSend('+91 98765 43210');
	expect(await view.chooseFromList('+91 98', '919812345670')).toEqual([
		'919812345670 · quality GREEN',
	]);
	// And back to none.
	await view.chooseFromList('default number', 'Default Number');
	await view.chooseFromList('+91 98', '919812345670');
	await takePicture(editor, 'number-chosen');
	await view.execute();
	const output = await view.output('providerMessageId');
	const [message, ...others] = await sent();
	expect(others).toEqual([]);
	expect(message).toMatchObject({ to: '919876543210' });
	expect(output).toContain(message?.providerMessageId);
	await takePicture(editor, 'send-template', true);
});

test('a number that cannot be right is refused, and mended without leaving the view', async () => {
	const { editor } = tests;
	const view = await openSend('98-76');
	await view.execute();
	const { message, description } = await view.failure('98-76');
	expect(message).toBe('Recipient Phone Number "98-76" has 4 digits: 7 to 15 are needed');
	expect(description).toContain('Correct the parameter "Recipient Phone Number"');
	expect(await sent()).toEqual([]);
	await takePicture(editor, 'bad-number', true);

	await view.field('phone').fill('919876543210');
	await view.execute();
	await view.output('providerMessageId');
	expect(await sent()).toHaveLength(1);
});

test("without credits the user reads the service's own words and what to do", async () => {
	await tests.sandbox.control.setAccount({ chatBalance: 0 });
	const view = await openSend('919876543210');
	await view.execute();
	const { message, description } = await view.failure('balance');
	const body = { phone: '919876543210', templateName: 'order_update' };
	const answer = await askService(tests.sandbox, '/chat/send-template', body);
	expect({ status: answer.status, body: await answer.json() }).toEqual({
		status: 402,
		body: { error: message },
	});
	expect(description).toMatch(/ Nothing was sent\.$/);
	await takePicture(tests.editor, 'no-credits');
});

test('the error output shows the failed item and why it failed', async () => {
	const { editor } = tests;
	const send = sendNode({ phone: '={{ $json.phone }}' }, { onError: 'continueErrorOutput' });
	const flow = chain('Error output', [
		manualTrigger(),
		items([{ phone: '919876543210' }, { phone: '12' }]),
		send,
		noOp('Sent'),
	]);
	const failed = { ...noOp('Not sent'), position: [660, 200] as [number, number] };
	await editor.openWorkflow(
		await tests.n8n.createWorkflow({
			...flow,
			nodes: [...flow.nodes, failed],
			connections: joined(flow.connections, connect([send, failed], 1)),
		}),
	);
	await editor.executeWorkflow();
	await editor.node('Not sent').getByTestId('canvas-node-status-success').waitFor();
	await takePicture(editor, 'error-output', true);

	const view = await NodeView.open(editor, 'Not sent');
	const output = await view.output('notSent');
	expect(output).toContain('Recipient Phone Number "12" has 2 digits');
	expect(output).not.toContain('919876543210');
	await takePicture(editor, 'error-output-item');
	expect((await sent()).map(({ to }) => to)).toEqual(['919876543210']);
});
