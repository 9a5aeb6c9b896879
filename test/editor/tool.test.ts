import type { INode, INodeParameters } from 'n8n-workflow';
import { NodeView, takePicture, useEditor } from '../support/editor';
import { manualTrigger, node, packageName, waitFor } from '../../harness';

const tests = useEditor('Tool');

/** Opens a workflow with an AI agent and a tool of it for each of these parameters. @returns its id */
async function openTools(parameters: INodeParameters[]): Promise<string> {
	const tools = parameters.map(
		(own, index): INode => ({
			...node(`Tool ${index}`, `${packageName}.messagingServiceTool`, own),
			credentials: { messagingServiceApi: tests.credential },
		}),
	);
	const agent = node('Agent', '@n8n/n8n-nodes-langchain.agent', {}, { typeVersion: 3.1 });
	const toAgent = { ai_tool: [[{ node: 'Agent', type: 'ai_tool' as const, index: 0 }]] };
	const connections = Object.fromEntries(tools.map(({ name }) => [name, toAgent]));
	const nodes = [manualTrigger(), agent, ...tools];
	const id = await tests.n8n.createWorkflow({ name: 'Tools', nodes, connections });
	await tests.editor.openWorkflow(id);
	return id;
}

test('a campaign takes JSON from the model, and a click lets the model fill a field', async () => {
	const { editor } = tests;
	await openTools([{ resource: 'bulkCampaign', operation: 'create' }]);
	const view = await NodeView.open(editor, 'Tool 0');
	expect(await view.field('recipientsSource').inputValue()).toBe('JSON');
	const overrides = editor.byId('from-ai-override-button');
	await overrides.first().waitFor();
	await takePicture(editor, 'tool');
	const count = await overrides.count();

	await overrides.first().click();
	await editor.page.getByText('Defined automatically by the').waitFor();
	expect(await overrides.count()).toBe(count - 1);
	await view.close();
});

const sending = {
	batching: { batch: { batchSize: 5, batchInterval: 0 } },
	maxSends: 100,
	timeout: 60_000,
	resendUnknown: false,
	idempotencyKey: '',
};
const waiting = { maxWait: 300, pollInterval: 5 };
const sendingFields = 'batchSize batchInterval maxSends timeout resendUnknown idempotencyKey';

/** A field of each kind: of the node, of a list, of a collection, and such as others show. */
const tools: Array<[parameters: INodeParameters, fields: string]> = [
	[
		{
			...{ resource: 'chatMessage', operation: 'sendTemplate', header: 'json' },
			parametersUi: { parameter: [{ value: '' }] },
			options: { ...sending, ...waiting, allowBlankParameters: false, waitForStatus: 'Delivered' },
		},
		`phone templateName configId language value headerParametersJson allowBlankParameters maxWait pollInterval ${sendingFields}`,
	],
	[
		{
			...{ resource: 'voiceCall', operation: 'create', content: 'text', voiceRoute: 'ownNumber' },
			options: { ...sending, ...waiting, waitForCompletion: true },
		},
		`to text routeNumber fromNumber recipientName maxWait pollInterval waitForCompletion ${sendingFields}`,
	],
	[
		{
			...{ resource: 'chatMessage', operation: 'getMany', returnAll: false },
			filters: { phone: '', providerMessageId: '', sentAfter: '', sentBefore: '' },
		},
		'returnAll limit providerMessageId phone sentAfter sentBefore',
	],
];

test('the model may fill every field but choices from a list', async () => {
	const { editor } = tests;
	const id = await openTools(tools.map(([parameters]) => parameters));
	await editor.node('Tool 0').waitFor();
	for (const [index, [, text]] of tools.entries()) {
		const fields = text.split(' ').sort();
		const view = await NodeView.route(editor, id, `tool-${index}`);
		const shown = await waitFor(`${text} of tool ${index}`, async () => {
			const all = await view.fieldsForModel();
			return all.length < fields.length ? undefined : all.sort();
		});
		expect(shown).toEqual(fields);
		// From one view to the next n8n shows some of the former fields for a while.
		await view.close();
	}
});
