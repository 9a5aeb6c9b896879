import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import type { IConnections, INode } from 'n8n-workflow';
import { connect, manualTrigger, node, type CredentialRef, type N8nApi } from '../../../harness';

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string } }>;
}

/**
 * A chat model that does as it is told: it says a sentence, or calls one tool and then repeats the
 * tool's last answer.
 */
export interface ScriptedModel {
	/** n8n's credential for it. */
	credential: CredentialRef;
	/** Name of the tool to call; the first that is offered when left out. */
	tool?: string;
	/** What to say instead of calling a tool. */
	sentence?: string;
	/** Arguments of the next tool call. */
	toolArguments: Record<string, unknown>;
	/** Arguments of several tool calls, one after the other, in place of `toolArguments`. */
	calls?: Array<Record<string, unknown>>;
	/** Whether it makes these calls at once. */
	atOnce?: boolean;
	/** Names of the tools that the agent offered, by request. */
	offered: string[][];
	/** What the agent told the model, by request. */
	conversations: Array<Array<{ role: string; content: unknown }>>;
	close(): Promise<void>;
}

/** Starts the model on a free port; it speaks the chat completions API of OpenAI. */
export async function startScriptedModel(
	n8n: N8nApi,
	credentialName = 'Scripted model',
): Promise<ScriptedModel> {
	const server = fastify();
	const model: Omit<ScriptedModel, 'credential'> = {
		toolArguments: {},
		offered: [],
		conversations: [],
		close: async () => await server.close(),
	};
	server.post('/v1/chat/completions', (request) => {
		const { messages, tools = [] } = request.body as ChatRequest;
		model.offered.push(tools.map((tool) => tool.function.name));
		model.conversations.push(messages);
		if (model.sentence !== undefined) return completion({ content: model.sentence });
		const lastUser = messages.findLastIndex(({ role }) => role === 'user');
		const answers = messages.slice(lastUser + 1).filter(({ role }) => role === 'tool');
		const calls = (model.calls ?? [model.toolArguments]).slice(answers.length);
		if (calls.length === 0) return completion({ content: String(answers.at(-1)?.content) });
		const name = model.tool ?? tools[0]?.function.name ?? '';
		const now = model.atOnce ? calls : calls.slice(0, 1);
		return completion({ content: null, tool_calls: now.map((call) => toolCall(name, call)) });
	});
	const url = `${await server.listen({ port: 0, host: '127.0.0.1' })}/v1`;
	const data = { apiKey: 'none', url };
	const credential = await n8n.createCredential(credentialName, data, 'openAiApi');
	return Object.assign(model, { credential });
}

const toolCall = (name: string, args: Record<string, unknown>) => ({
	id: `call_${randomUUID()}`,
	type: 'function',
	function: { name, arguments: JSON.stringify(args) },
});

const completion = (message: { content: string | null; tool_calls?: unknown[] }) => ({
	id: 'completion_1',
	object: 'chat.completion',
	created: 0,
	model: 'scripted',
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
