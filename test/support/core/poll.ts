import { PollContext } from 'n8n-core';
import {
	type IDataObject,
	type INodeParameters,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { messagingServicePollingTrigger } from '../../../harness/builders';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { credentialsHelper } from './credentialsHelper';
import { workflowOf } from './workflow';

const trigger = new MessagingServicePollingTrigger();

interface Published {
	credential: { baseUrl: string; apiKey: string };
	parameters: INodeParameters;
	/** Milliseconds that n8n lets a poll take; its own default if absent. */
	budget?: number;
}

/**
 * A workflow with the polling trigger, in a context of the real n8n-core. As n8n does, it keeps the
 * context, and the static data in it, from one poll to the next.
 */
export class PolledWorkflow {
	private readonly context: PollContext;

	constructor({ credential, parameters, budget }: Published) {
		const node = messagingServicePollingTrigger(parameters, { id: '1', name: 'Sandbox' });
		const additionalData = {
			credentialsHelper: credentialsHelper(credential),
			currentNodeParameters: node.parameters,
			variables: {},
		} as unknown as IWorkflowExecuteAdditionalData;
		const workflow = workflowOf(node, { active: true });
		this.context = new PollContext(workflow, node, additionalData, 'trigger', 'activate');
		if (budget !== undefined) Object.assign(this.context, { getPollBudgetMs: () => budget });
	}

	/** The items of a poll; empty when it gives none. The first one is that of publishing. */
	async poll(): Promise<IDataObject[]> {
		const output = await trigger.poll.call(this.context);
		return (output?.[0] ?? []).map(({ json }) => json);
	}
}
