import type { INodeParameters } from 'n8n-workflow';
import { NodeView, takePicture, useEditor } from '../support/editor';
import { manualTrigger, node, PACKAGE_NAME } from '../../harness';

const tests = useEditor('Tool');

/** The view of the node as a tool of an AI agent, in a new workflow. */
async function openTool(parameters: INodeParameters): Promise<NodeView> {
	const tool = node('Tool', `${PACKAGE_NAME}.messagingServiceTool`, parameters, {
		credentials: { messagingServiceApi: tests.credential },
	});
	const agent = node('Agent', '@n8n/n8n-nodes-langchain.agent', {}, { typeVersion: 3.1 });
	const connections = {
		Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool' as const, index: 0 }]] },
	};
	const nodes = [manualTrigger(), agent, tool];
	const id = await tests.n8n.createWorkflow({ name: 'Tool', nodes, connections });
	await tests.editor.openWorkflow(id);
	return await NodeView.open(tests.editor, 'Tool');
}

test('a campaign takes JSON from the model, which may fill every field', async () => {
	const { editor } = tests;
	const view = await openTool({ resource: 'bulkCampaign', operation: 'create' });
	expect(await view.field('recipientsSource').inputValue()).toBe('JSON');
	const typed = ['templateName', 'configId', 'language', 'recipientsJson'];
	const overrides = editor.byId('from-ai-override-button');
	await overrides.nth(typed.length - 1).waitFor();
	await takePicture(editor, 'tool');
	expect(await overrides.count()).toBe(typed.length);

	await overrides.first().click();
	await editor.page.getByText('Defined automatically by the').waitFor();
	expect(await overrides.count()).toBe(typed.length - 1);
});
