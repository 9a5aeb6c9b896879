import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import axios from 'axios';
import { map } from 'lodash';
import { WebhookContext } from 'n8n-core';
import type { IDataObject, IHookFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { messagingServiceTrigger } from '../../../harness/builders';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { connection, type Call } from '../../../nodes/MessagingService/api/client';
import type { Watch } from '../../../nodes/MessagingService/polling/watch';
import type { SandboxOfTests } from './useSandbox';
import { workflowOf } from './workflow';

/** Sends a request of a node with the key, as n8n does. */
const sendingTo =
	(sandbox: SandboxOfTests) =>
	async ({ url, qs, method = 'GET', headers, body }: IHttpRequestOptions) => {
		const { apiKey } = sandbox.credential();
		const { status, data, ...response } = await axios.request<string>({
			...{ url, method, params: qs as object, data: body as unknown, proxy: false },
			headers: { ...(headers as Record<string, string>), 'x-api-key': apiKey },
			validateStatus: () => true,
			transformResponse: (text: string) => text,
		});
		const parsed: unknown = data === '' ? '' : JSON.parse(data);
		return { statusCode: status, headers: response.headers as IDataObject, body: parsed };
	};

/** Calls of the sandbox as a node makes them. */
const callOf = (sandbox: SandboxOfTests): Call =>
	connection({ countryCodes: '', ...sandbox.credential() }, sendingTo(sandbox));

/** Polls with the state of the last poll, as n8n saves it; returns the items. */
export function polling(sandbox: SandboxOfTests, watch: Watch): () => Promise<IDataObject[]> {
	let last: IDataObject | undefined;
	return async () => {
		const { items, state } = await watch.poll(callOf(sandbox), last);
		last = JSON.parse(JSON.stringify(state)) as IDataObject;
		return items;
	};
}

let triggers = 0;

/** The webhook trigger in contexts of the real n8n-core, behind a port of this computer. */
export async function triggerOf(sandbox: SandboxOfTests, parameters: IDataObject) {
	const id = `w${++triggers}`;
	const stored: IDataObject = {};
	const received: IDataObject[] = [];
	const extra = { id: 'node', name: 'Trigger', webhookId: undefined };
	const node = messagingServiceTrigger(parameters as never, { id: '1', name: 'Sandbox' }, extra);
	const workflow = workflowOf(node, { active: true, id, staticData: { 'node:Trigger': stored } });
	const receive = async (request: http.IncomingMessage, response: http.ServerResponse) => {
		const httpRequest = { headers: request.headers, rawBody: await buffer(request) };
		const httpResponse = Object.assign(response, {
			status: (statusCode: number) => Object.assign(response, { statusCode }),
			json: (body: unknown) => response.end(JSON.stringify(body)),
		});
		const n8n = { httpRequest, httpResponse, variables: {}, webhookBaseUrl: 'https://n8n.example' };
		const given = [workflow, node, n8n as never, 'webhook', {} as never, [], null] as const;
		const context = new WebhookContext(
			...(given as unknown as ConstructorParameters<typeof WebhookContext>),
		);
		context.getInstanceId = () => 'i';
		const { workflowData } = await new MessagingServiceTrigger().webhook.call(context);
		if (!workflowData) return;
		received.push(...map(workflowData[0], 'json'));
		response.end('{}');
	};
	const server = http.createServer((request, response) => void receive(request, response));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
	const hooks = {
		getCredentials: async () =>
			await Promise.resolve({ countryCodes: '', ...sandbox.credential() }),
		getNodeParameter: (name: string, preset: unknown) => node.parameters[name] ?? preset,
		getNodeWebhookUrl: () => url,
		getWorkflowStaticData: () => stored,
		getInstanceId: () => 'i',
		getWorkflow: () => ({ id }),
		getNode: () => node,
		getMode: () => 'trigger',
		logger: { warn: () => {} },
		helpers: {
			httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
				await sendingTo(sandbox)(options),
		},
	} as unknown as IHookFunctions;
	const {
		checkExists,
		create,
		delete: remove,
	} = new MessagingServiceTrigger().webhookMethods.default;
	return {
		received,
		publish: async (events: string[]) => {
			node.parameters.events = events;
			if (!(await checkExists.call(hooks))) await create.call(hooks);
		},
		unpublish: async () => await remove.call(hooks),
		close: () => void server.close().closeAllConnections(),
	};
}
