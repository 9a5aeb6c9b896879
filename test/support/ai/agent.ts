import type { IConnections, INode } from 'n8n-workflow';
import { connect, manualTrigger, node } from '../../../harness';
import type { ScriptedModel } from './scriptedModel';

/**
 * A workflow of an AI agent that may use one tool.
 *
 * @param tools the tool, and further nodes between it and the agent in the order towards the agent
 * @param before its trigger, and further nodes on the way to the agent
 * @param after nodes behind the agent
 */
export function agentWorkflow(
	{ credential }: ScriptedModel,
	tools: INode[],
	before = [manualTrigger()],
	after: INode[] = [],
): { nodes: INode[]; connections: IConnections } {
	const agent = node(
		'Agent',
		'@n8n/n8n-nodes-langchain.agent',
		{ promptType: 'define', text: 'Do it', options: {} },
		{ typeVersion: 3.1 },
	);
	const chat = node(
		'Model',
		'@n8n/n8n-nodes-langchain.lmChatOpenAi',
		{
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: {},
		},
		{ typeVersion: 1.3, credentials: { openAiApi: credential } },
	);
	const towards = [...tools, agent];
	return {
		nodes: [...before, agent, chat, ...tools, ...after],
		connections: {
			...connect([...before, agent, ...after]),
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			...Object.fromEntries(
				tools.map(({ name }, index) => [
					name,
					{ ai_tool: [[{ node: towards[index + 1]?.name ?? '', type: 'ai_tool', index: 0 }]] },
				]),
			),
		},
	};
}
