import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IRunExecutionData,
	type ITaskData,
	type IWorkflowSettings,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { connect, messagingService, messagingServiceTrigger } from '../../../harness/builders';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { additionalDataOf, workflowOf } from './workflow';

/** What an execution of the action node is made from. */
export interface Execution {
	/** Base URL and key. */
	credential: { baseUrl: string; apiKey: string; countryCodes?: unknown };
	parameters: INodeParameters;
	/** One empty item by default. */
	items?: INodeExecutionData[];
	/** Settings of the node, e.g. `onError`. */
	node?: Partial<INode>;
	/** The same object again makes a retry within one execution. */
	runExecutionData?: IRunExecutionData;
	runIndex?: number;
	/** A node before it, with one item for each of its own. */
	before?: { name: string; items: INodeExecutionData[] };
	/** Part of the addresses that continue the execution. */
	executionId?: string;
	signal?: AbortSignal;
	/** Settings of the workflow. */
	settings?: IWorkflowSettings;
	/** How it was started: by hand by default. */
	mode?: WorkflowExecuteMode;
}

let lastStart = Date.now();

/** The time that n8n gives an execution at its start, another one for each. */
function startOf({ executionData }: IRunExecutionData): number {
	if (!executionData) throw new Error('The execution has no data');
	const establishedAt = ++lastStart;
	executionData.runtimeData ??= { version: 1, establishedAt, source: 'manual' };
	return executionData.runtimeData.establishedAt;
}

/** A context of the real n8n-core around the action node, as n8n makes one to run it. */
export function executeContext({
	credential,
	parameters,
	items = [{ json: {} }],
	node: nodeSettings = {},
	runExecutionData = createRunExecutionData(),
	runIndex = 0,
	before,
	executionId = String(startOf(runExecutionData)),
	signal,
	mode = 'manual',
	settings,
}: Execution): ExecuteContext {
	const credentialRef = { id: '1', name: 'Sandbox' };
	const node = messagingService(parameters, credentialRef, { id: '1', ...nodeSettings });
	const workflow = workflowOf(node, {
		active: false,
		settings: { timezone: 'Asia/Kolkata', ...settings },
		...leading(before?.name, node),
	});
	if (before) runExecutionData.resultData.runData[before.name] = [ran(before.items)];
	const additionalData = additionalDataOf(node, credential, {
		executionId,
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
	});
	// As n8n does, so that the node may change its items.
	const input = { main: [items.map((item) => ({ ...item }))] };
	return new ExecuteContext(
		workflow,
		node,
		additionalData,
		mode,
		runExecutionData,
		runIndex,
		items,
		input,
		{ data: input, node, source: before ? { main: [{ previousNode: before.name }] } : null },
		[],
		signal,
	);
}

/** A workflow with a node before another one. */
function leading(name: string | undefined, { name: next }: INode) {
	if (name === undefined) return {};
	const first = messagingServiceTrigger({}, { id: '1', name: 'Sandbox' }, { name });
	return { before: [first], connections: connect([first, next]) };
}

/** What n8n keeps of a node that has run. */
const ran = (items: INodeExecutionData[]): ITaskData => ({
	startTime: 0,
	executionIndex: 0,
	executionTime: 0,
	source: [],
	data: { main: [items] },
});

/** Runs the action node once and returns its output items. */
export async function execute(execution: Execution): Promise<INodeExecutionData[]> {
	const [items = []] = await new MessagingService().execute.call(executeContext(execution));
	return items;
}

/** What n8n shows of a failed node. */
export interface NodeFailure extends Error {
	description: string;
	context: { itemIndex?: number; data?: IDataObject };
}

/** What the work throws, or what it returns. */
export async function failureOr<T>(work: Promise<T>): Promise<T | NodeFailure> {
	return await work.catch((error: unknown) => error as NodeFailure);
}

/** What the work throws. */
export async function failureOf(work: Promise<unknown>): Promise<NodeFailure> {
	const result = await failureOr(work);
	if (result instanceof Error) return result as NodeFailure;
	throw new Error(`Expected a failure, got ${JSON.stringify(result)}`);
}
