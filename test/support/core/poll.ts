import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { messagingServicePollingTrigger } from '../../../harness/builders';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { additionalDataOf, workflowOf } from './workflow';

/**
 * A workflow with the polling trigger, in a context of the real n8n-core. As n8n does, it keeps the
 * context, and the static data in it, from one poll to the next.
 *
 * @param budget milliseconds that n8n gives a poll; its own default if absent
 * @returns polls, and returns the items; the first poll is that of publishing
 */
export function polling(
	credential: { baseUrl: string; apiKey: string; countryCodes?: unknown },
	parameters: INodeParameters,
	budget?: number,
): () => Promise<IDataObject[]> {
	const node = messagingServicePollingTrigger(parameters, { id: '1', name: 'Sandbox' });
	const workflow = workflowOf(node, { active: true });
	const additionalData = additionalDataOf(node, credential);
	const context = new PollContext(workflow, node, additionalData, 'trigger', 'activate');
	if (budget !== undefined) Object.assign(context, { getPollBudgetMs: () => budget });
	return async () => {
		const output = await new MessagingServicePollingTrigger().poll.call(context);
		return (output?.[0] ?? []).map(({ json }) => json);
	};
}
