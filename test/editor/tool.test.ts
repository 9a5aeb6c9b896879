import type { INode, INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { NodeView, takePicture, useEditor } from '../support/editor';
import { isUncertain, variantsOf } from '../support/editor/variants';
import { describedOperations } from '../support/operations';
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

test('the model may fill every field of every operation', async () => {
	const { editor } = tests;
	const description = { ...new MessagingService().description, name: 'messagingServiceTool' };
	const variants = describedOperations.flatMap(({ choice }) => variantsOf(choice, description));
	const id = await openTools(variants.map(({ parameters }) => parameters));
	await editor.node('Tool 0').waitFor();
	const offered: string[][] = [];
	for (const [index, { fields }] of variants.entries()) {
		const view = await NodeView.route(editor, id, `tool-${index}`);
		const shown = await waitFor(`${fields.join(', ')} of tool ${index}`, async () => {
			const all = await view.fieldsForModel();
			const certain = all.filter((name) => !isUncertain(name));
			return certain.length < fields.length ? undefined : certain;
		});
		offered.push(shown);
		// From one view to the next n8n shows some of the former fields for a while.
		await view.close();
	}
	expect(offered).toEqual(variants.map(({ fields }) => fields));
});
