import { createHmac } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	IWebhookData,
	IWebhookResponseData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { workflowOf } from './workflow';

/** How something is delivered to a trigger. */
export interface Delivery {
	workflowId: string;
	nodeId?: string;
	parameters: IDataObject;
	/** What n8n has saved for the trigger. */
	stored: IDataObject;
	body: string;
	/** None if undefined. */
	signature: string | undefined;
	mode?: WorkflowExecuteMode;
	/** `unread` as for a body that n8n has left alone, `unreadable` for one it has taken apart. */
	raw?: 'read' | 'unread' | 'unreadable';
	/** The status with which n8n responds once it was to start an execution; 0 for not yet. */
	taken?: number;
}

/** What became of a delivery: the status and body of a response, or what starts the execution. */
export interface Outcome {
	status?: number;
	body?: IDataObject;
	items?: IDataObject[];
	/** Lets n8n respond to a delivery that is to start an execution. */
	respond: (status: number) => void;
	/** Closes the connection, as a service that does not wait any longer. */
	close: () => void;
	/** Whether the trigger says that it has responded itself. */
	hasResponded: boolean;
	warnings: string[];
	/** Whether the trigger has asked n8n for the body. */
	hasReadBody: boolean;
}

export const sign = (body: string, secret: string): string =>
	`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const webhookBaseUrl = 'https://n8n.example/webhook';

/** The URL of the trigger of a workflow. */
export const urlOf = (workflowId: string): string =>
	`${webhookBaseUrl}/${workflowId}/trigger/webhook`;

/**
 * Delivers to the webhook trigger in a context of the real n8n-core. Request and response are as
 * n8n's server makes them, as far as the trigger may look at them.
 */
export async function receive(delivery: Delivery): Promise<Outcome> {
	const { workflowId, nodeId = 'node', parameters, stored, signature, mode = 'webhook' } = delivery;
	const { body, raw = 'read', taken = 200 } = delivery;
	const outcome: Outcome = {
		respond: () => {},
		close: () => response.emit('close'),
		hasResponded: false,
		warnings: [],
		hasReadBody: false,
	};
	const request: IDataObject & { rawBody?: Buffer } = {
		headers: signature === undefined ? {} : { 'x-webhook-signature': signature },
		...(raw === 'read' ? { rawBody: Buffer.from(body) } : {}),
		readRawBody: async () => {
			outcome.hasReadBody = true;
			if (raw === 'unreadable') throw new Error('stream is not readable');
			// A stream that was read has nothing left.
			request.rawBody = Buffer.from(raw === 'read' ? '' : body);
			return await Promise.resolve();
		},
	} as never;
	const response = Object.assign(new EventEmitter(), {
		statusCode: 200,
		status(status: number) {
			outcome.status = status;
			return response;
		},
		json(sent: IDataObject) {
			outcome.body = sent;
		},
		end: () => response,
	});
	const node: INode = {
		id: nodeId,
		name: 'Trigger',
		type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
	};
	const workflow = workflowOf(node, {
		active: true,
		id: workflowId,
		staticData: { 'node:Trigger': stored },
	});
	const additionalData = {
		httpRequest: request,
		httpResponse: response,
		variables: {},
		webhookBaseUrl,
	};
	const context = new WebhookContext(
		workflow,
		node,
		additionalData as unknown as IWorkflowExecuteAdditionalData,
		mode,
		{} as IWebhookData,
		[],
		null,
	);
	const logger = { warn: (text: string) => outcome.warnings.push(text) };
	Object.defineProperty(context, 'logger', { value: logger });
	const { workflowData, noWebhookResponse }: IWebhookResponseData =
		await new MessagingServiceTrigger().webhook.call(context);
	outcome.hasResponded = noWebhookResponse === true;
	outcome.items = workflowData?.[0]?.map(({ json }) => json);
	outcome.respond = (status) => {
		response.statusCode = status;
		response.end();
	};
	if (outcome.items && taken > 0) outcome.respond(taken);
	return outcome;
}
