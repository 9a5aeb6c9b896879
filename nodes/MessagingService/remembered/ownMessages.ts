import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { textOf } from '../api/response';

/** Messages that workflows sent because of an event, by workflow and message ID, oldest first. */
const sent = new Set<string>();

const nameOf = (context: Pick<IExecuteFunctions, 'getWorkflow'>, messageId: string): string =>
	`${context.getWorkflow().id} ${messageId}`;

/**
 * Notes an accepted message if the webhook trigger has started its execution, or the one that is retried: n8n keeps
 * the trigger in the context of all attempts. Does nothing for a response without a message ID.
 */
export function noteOwnMessage(context: IExecuteFunctions, response: IDataObject): void {
	const { type = '' } = context.getExecutionContext()?.triggerNode ?? {};
	const messageId = textOf(response.providerMessageId);
	if (messageId === '' || !type.endsWith('.messagingServiceTrigger')) return;
	sent.add(nameOf(context, messageId));
	const [oldest = ''] = sent;
	if (sent.size > 10_000) sent.delete(oldest);
}

/** Whether this n8n process has noted a message of the workflow. */
export const isOwnMessage = (
	context: Pick<IExecuteFunctions, 'getWorkflow'>,
	messageId: string,
): boolean => sent.has(nameOf(context, messageId));
