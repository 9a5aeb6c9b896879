import { WebhookContext } from 'n8n-core';
import { createRunExecutionData, type IDataObject, type INodeExecutionData } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { executeContext, type Execution } from './execute';
import type { SandboxOfTests } from './useSandbox';

/** The result of a request to a link. */
interface Opened {
	status?: number;
	page: unknown;
	headers: IDataObject;
	/** The items with which the execution continues; none while it waits. */
	items: INodeExecutionData[];
}

/** Requests the link of that place in the message, with a change of its query. */
type Open = (
	method: string,
	link: number,
	body?: IDataObject | null,
	change?: IDataObject,
) => Promise<Opened>;

/** Sends a question with the contexts of the real n8n-core; the execution waits. @returns opens its links */
export async function asked(
	sandbox: SandboxOfTests,
	{ items = [{ json: {} }], ...execution }: Omit<Execution, 'credential'>,
): Promise<Open> {
	const runExecutionData = createRunExecutionData();
	const credential = sandbox.credential();
	const asking = executeContext({ ...execution, items, credential, runExecutionData });
	const { workflow, node, mode, additionalData } = asking;
	await new MessagingService().execute.call(asking);
	const waiting = { node, data: { main: [items] }, source: null };
	runExecutionData.executionData?.nodeExecutionStack.push(waiting);

	const sent = (await sandbox.requests()).filter(({ method }) => method === 'POST').at(-1);
	const body = sent?.body as IDataObject;
	const { text, message, parameters } = (body.fields ?? body) as IDataObject;
	const links = [...String(text ?? message ?? parameters).matchAll(/https?:[^\s,"]+/g)].map(
		([url]) => Object.fromEntries(new URL(url).searchParams),
	);
	return async (method, link, body = {}, change = {}) => {
		const opened: Opened = { page: undefined, headers: {}, items: [] };
		const response = {
			statusCode: 200,
			end: () => {},
			status: (status: number) => Object.assign(response, void (opened.status = status)),
			set: (headers: IDataObject) => Object.assign(response, void (opened.headers = headers)),
			send: (page: string) => (opened.page = page),
		};
		const query = { ...links[link], ...change };
		const answering = new WebhookContext(
			workflow,
			node,
			Object.assign(Object.create(additionalData) as typeof additionalData, {
				// Without a body, n8n passes none.
				httpRequest: { method, query, body: body ?? undefined, headers: {}, params: {} },
				httpResponse: response,
			}),
			mode,
			{ httpMethod: method, path: '', node: node.name } as never,
			[],
			runExecutionData,
		);
		const { workflowData, webhookResponse } = await new MessagingService().webhook.call(answering);
		opened.page ??= webhookResponse;
		opened.items = workflowData?.[0] ?? [];
		// n8n responds once the execution continues.
		response.end();
		return opened;
	};
}
