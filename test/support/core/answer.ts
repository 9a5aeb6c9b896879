import { WebhookContext } from 'n8n-core';
import { createRunExecutionData, type IDataObject, type INodeExecutionData } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { executeContext, type Execution } from './execute';

/** What a recipient of Send and Wait for Response sends with the page's form. */
interface Answer {
	/** Of the link that was opened, but for the question that it belongs to. */
	query?: Record<string, string>;
	body?: IDataObject;
}

/**
 * Sends a question and answers it, both with the contexts of the real n8n-core.
 *
 * @returns the items that the execution goes on with
 */
export async function answered(
	execution: Execution,
	{ query = {}, body = {} }: Answer,
): Promise<INodeExecutionData[]> {
	const { runExecutionData = createRunExecutionData() } = execution;
	const asking = executeContext({ ...execution, runExecutionData });
	await new MessagingService().execute.call(asking);

	const { question } = asking.getContext('node').asked as IDataObject;
	const response = { set: () => response };
	const additionalData = Object.assign(asking.additionalData, {
		httpRequest: { method: 'POST', query: { ...query, question }, body, headers: {}, params: {} },
		httpResponse: response,
	});
	const { workflow, node, mode } = asking;
	const webhook = { httpMethod: 'POST', path: '', node: node.name } as never;
	const answering = new WebhookContext(
		workflow,
		node,
		additionalData,
		mode,
		webhook,
		[],
		runExecutionData,
	);
	const { workflowData } = await new MessagingService().webhook.call(answering);
	return workflowData?.[0] ?? [];
}
