import type { INode } from 'n8n-workflow';
import {
	chain,
	code,
	messagingService,
	waitFor,
	type CredentialRef,
	type NodeExtra,
} from '../../../harness';
import { webhookCall } from '../webhookCall';
import type { Bed } from './bed';

export const sendPath = '/chat/send-template';
export const sender = 'Send';

const firstNumber = 919_000_000_000;

/** The recipient of each item, in order. */
export const recipients = (count: number): string[] =>
	Array.from({ length: count }, (_, index) => String(firstNumber + index));

/** The node that sends a template to each item and goes on when one fails. */
export const sendTemplate = (credential: CredentialRef, extra: NodeExtra = {}): INode =>
	messagingService(
		{
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '={{ $json.phone }}',
			templateName: 'order_update',
		},
		credential,
		{ name: sender, onError: 'continueRegularOutput', ...extra },
	);

/** A published workflow that is started by a call, as in production. */
export interface Sending {
	id: string;
	/** Calls its webhook through the front; gives the execution's id while it runs. */
	start(): Promise<string>;
}

/**
 * Publishes a workflow that hands `count` recipients to a node.
 * @param last e.g. `sendTemplate`
 */
export async function publishSending(
	{ main, front }: Bed,
	count: number,
	last: INode,
): Promise<Sending> {
	const { node: call, send } = webhookCall();
	const make = code(
		`return Array.from({ length: ${count} }, (_, i) => ({ json: { phone: String(${firstNumber} + i) } }));`,
		'Recipients',
	);
	const id = await main.createWorkflow(chain(`Sending ${call.webhookId}`, [call, make, last]));
	await main.publish(id);
	return {
		id,
		start: async () => {
			await send(front.url);
			return await main.newestExecution(id);
		},
	};
}

/** Recipients of the messages on which the service acted, from its journal; one per message. */
export async function arrived({ sandbox }: Bed): Promise<string[]> {
	const requests = await sandbox.control.journal({ kind: 'request', path: sendPath });
	return requests
		.filter(({ processed }) => processed)
		.map(({ body }) => (body as { phone: string }).phone);
}

/** Waits until so many sends have reached the service. */
export async function waitForSends({ sandbox }: Bed, count: number): Promise<void> {
	await waitFor(`${count} sends`, async () => {
		const { requests } = await sandbox.control.stats();
		return requests >= count ? true : undefined;
	});
}
