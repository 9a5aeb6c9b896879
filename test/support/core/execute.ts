import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { TestCredentialsHelper } from './credentialsHelper';
import { workflowOf } from './workflow';

/** What an execution of the action node is made from. */
export interface Execution {
	/** Base URL and key. */
	credential: { baseUrl: string; apiKey: string };
	parameters: INodeParameters;
	/** One empty item by default. */
	items?: INodeExecutionData[];
	/** Settings of the node, e.g. `onError`. */
	node?: Partial<INode>;
	/** The same object again makes a retry within one execution. */
	runExecutionData?: IRunExecutionData;
	runIndex?: number;
	/** Part of the addresses that continue the execution. */
	executionId?: string;
	timezone?: string;
	signal?: AbortSignal;
}

/** A context of the real n8n-core around the action node, as n8n makes one to run it. */
export function executeContext({
	credential,
	parameters,
	items = [{ json: {} }],
	node: nodeSettings = {},
	runExecutionData = createRunExecutionData(),
	runIndex = 0,
	executionId = '1',
	timezone = 'Asia/Kolkata',
	signal,
}: Execution): ExecuteContext {
	const type = 'n8n-nodes-messaging-service.messagingService';
	const node: INode = {
		id: '1',
		name: 'Messaging Service',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { messagingServiceApi: { id: '1', name: 'Sandbox' } },
		...nodeSettings,
	};
	const workflow = workflowOf(node, { active: false, settings: { timezone } });
	const additionalData = {
		credentialsHelper: new TestCredentialsHelper(credential),
		executionId,
		currentNodeParameters: node.parameters,
		variables: {},
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
	} as unknown as IWorkflowExecuteAdditionalData;
	const input = { main: [items] };
	return new ExecuteContext(
		workflow,
		node,
		additionalData,
		'manual',
		runExecutionData,
		runIndex,
		items,
		input,
		{ data: input, node, source: null },
		[],
		signal,
	);
}

/** Runs the action node once and gives its output items. */
export async function execute(execution: Execution): Promise<INodeExecutionData[]> {
	const [items = []] = await new MessagingService().execute.call(executeContext(execution));
	return items;
}
