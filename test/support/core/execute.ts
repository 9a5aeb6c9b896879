import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type WorkflowExecuteMode,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { messagingService } from '../../../harness/builders';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { credentialsHelper } from './credentialsHelper';
import { workflowOf } from './workflow';

/** What an execution of the action node is made from. */
export interface Execution {
	/** Base URL and key. */
	credential: { baseUrl: string; apiKey: string; countryCodes?: string };
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
	/** How n8n runs it: `retry` for one from the list of executions. */
	mode?: WorkflowExecuteMode;
	workflowId?: string;
	timezone?: string;
	signal?: AbortSignal;
}

let executions = 0;

const ids = new WeakMap<IRunExecutionData, string>();

/** An id of its own for each execution, and the time that n8n gives it at its start. */
function executionOf(data: IRunExecutionData): string {
	const known = ids.get(data);
	if (known !== undefined) return known;
	const id = String(++executions);
	ids.set(data, id);
	if (data.executionData) {
		data.executionData.runtimeData ??= {
			version: 1,
			establishedAt: Date.now() + executions,
			source: 'manual',
		};
	}
	return id;
}

/** A context of the real n8n-core around the action node, as n8n makes one to run it. */
export function executeContext({
	credential,
	parameters,
	items = [{ json: {} }],
	node: nodeSettings = {},
	runExecutionData = createRunExecutionData(),
	runIndex = 0,
	executionId,
	mode = 'manual',
	workflowId,
	timezone = 'Asia/Kolkata',
	signal,
}: Execution): ExecuteContext {
	const ownId = executionOf(runExecutionData);
	const credentialRef = { id: '1', name: 'Sandbox' };
	const node = messagingService(parameters, credentialRef, { id: '1', ...nodeSettings });
	const workflow = workflowOf(node, { active: false, settings: { timezone }, id: workflowId });
	const additionalData = {
		credentialsHelper: credentialsHelper(credential),
		executionId: executionId ?? ownId,
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
		mode,
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

/** What n8n shows of a failed node. */
export interface NodeFailure extends Error {
	description?: string;
	httpCode?: string | null;
	context: { itemIndex?: number; data?: IDataObject };
}

/** What the work throws, or what it gives. */
export async function failureOr<T>(work: Promise<T>): Promise<T | NodeFailure> {
	return await work.catch((error: unknown) => error as NodeFailure);
}

/** What the work throws. */
export async function failureOf(work: Promise<unknown>): Promise<NodeFailure> {
	const result = await failureOr(work);
	if (result instanceof Error) return result as NodeFailure;
	throw new Error(`Expected a failure, got ${JSON.stringify(result)}`);
}
