import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { testCredential } from './credentialTest/testCredential';
import { pollingFields, pollingSubtitle } from './polling/fields';
import { poll } from './polling/poll';
import { withAdvice } from './api/failure';

/**
 * Starts a workflow when data of the account changes: for changes that no webhook reports, and for an n8n
 * that the internet cannot reach.
 */
export class MessagingServicePollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Polling Trigger',
		name: 'messagingServicePollingTrigger',
		icon: {
			light: 'file:../../icons/messagingService.svg',
			dark: 'file:../../icons/messagingService.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: pollingSubtitle,
		description:
			'Starts the workflow when a balance, call, message, phone number or webhook changes',
		builderHint: {
			searchHint:
				'For message statuses, Messaging Service Trigger is faster if the service can reach n8n. A manual run returns a sample ("sample": true): do not act on it.',
		},
		defaults: { name: 'Messaging Service Polling Trigger' },
		activationMessage:
			'The first poll only notes the present state. After it, every event starts the workflow at the next poll.',
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingServiceApi', required: true, testedBy: 'testCredential' }],
		properties: pollingFields,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await withAdvice(this, async () => await poll(this));
	}
}
