import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import type { IConnections, INode } from 'n8n-workflow';
import { connect, manualTrigger, node, type CredentialRef, type N8nApi } from '../../../harness';

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string } }>;
}

/** A chat model that makes scripted calls of a tool, and then repeats the tool's last response. */
export interface ScriptedModel {
	/** n8n's credential for it. */
	credential: CredentialRef;
	/** Name of the tool to call; the first that is offered by default. */
	tool?: string;
	/** Arguments of the calls. */
	calls: Array<Record<string, unknown>>;
	/** Whether it makes these calls at once instead of one after the other. */
	atOnce?: boolean;
	/** Its text without a call. */
	sentence: string;
	/** Names of the tools that the agent offered, by request. */
	offered: string[][];
	/** Messages that the agent sent to the model, by request. */
	conversations: ChatRequest['messages'][];
}

/**
 * The model for the tests of one file, on a free port; it speaks the chat completions API of OpenAI.
 *
 * @param name of its credential, for a workflow that chooses one by its name
 * @returns an object that can be used once the tests begin
 */
export function useScriptedModel(n8n: () => N8nApi, name?: string): ScriptedModel {
	const server = fastify();
	const credential: CredentialRef = { id: '', name: '' };
	const model: ScriptedModel = {
		...{ credential, calls: [], sentence: '', offered: [], conversations: [] },
	};
	server.post<{ Body: ChatRequest }>('/v1/chat/completions', ({ body }) => {
		const { messages, tools = [] } = body;
		model.offered.push(tools.map((tool) => tool.function.name));
		model.conversations.push(messages);
		const lastUser = messages.findLastIndex(({ role }) => role === 'user');
		const responses = messages.slice(lastUser + 1).filter(({ role }) => role === 'tool');
		const calls = model.calls.slice(
			responses.length,
			model.atOnce ? undefined : responses.length + 1,
		);
		const tool = model.tool ?? tools[0]?.function.name ?? '';
		const content = String(responses.at(-1)?.content ?? model.sentence);
		return calls.length === 0
			? completion({ content })
			: completion({ content: null, tool_calls: calls.map((call) => toolCall(tool, call)) });
	});
	beforeAll(async () => {
		const url = `${await server.listen({ port: 0, host: '127.0.0.1' })}/v1`;
		const data = { apiKey: 'none', url };
		Object.assign(credential, await n8n().createCredential(data, 'openAiApi', name));
	});
	afterAll(async () => await server.close());
	return model;
}

const toolCall = (name: string, args: Record<string, unknown>) => ({
	id: `call_${randomUUID()}`,
	type: 'function',
	function: { name, arguments: JSON.stringify(args) },
});

const completion = (message: { content: string | null; tool_calls?: unknown[] }) => ({
	...{ id: 'completion_1', object: 'chat.completion', created: 0, model: 'scripted' },
	choices: [
		{
			index: 0,
			message: { role: 'assistant', ...message },
			finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
		},
	],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/**
 * A workflow of an AI agent that may use one tool.
 *
 * @param tools the tool, and further nodes between it and the agent in the order towards the agent
 * @param before its trigger, and further nodes in front of the agent
 */
export function agentWorkflow(
	{ credential }: ScriptedModel,
	tools: INode[],
	before = [manualTrigger()],
	after: INode[] = [],
): { nodes: INode[]; connections: IConnections } {
	const langchain = '@n8n/n8n-nodes-langchain';
	const asked = { promptType: 'define', text: 'Do it', options: {} };
	const agent = node('Agent', `${langchain}.agent`, asked, { typeVersion: 3.1 });
	const chat = node(
		'Model',
		`${langchain}.lmChatOpenAi`,
		{
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: {},
		},
		{ typeVersion: 1.3, credentials: { openAiApi: credential } },
	);
	const towards = [...tools, agent];
	const link = (type: 'ai_languageModel' | 'ai_tool', to = agent) => ({
		[type]: [[{ node: to.name, type, index: 0 }]],
	});
	return {
		nodes: [...before, agent, chat, ...tools, ...after],
		connections: {
			...connect([...before, agent, ...after]),
			Model: link('ai_languageModel'),
			...Object.fromEntries(
				tools.map(({ name }, index) => [name, link('ai_tool', towards[index + 1])]),
			),
		},
	};
}
