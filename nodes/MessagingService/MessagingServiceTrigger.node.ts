import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { testCredential } from './credentialTest/testCredential';
import { withAdvice } from './api/failure';
import { receive } from './trigger/receive';
import { publishing, registrationOf } from './trigger/registration';
import { subscriptionOf, triggerFields } from './trigger/delivery';

const whileBuilding =
	'<b>While building your workflow</b>, press the button above, then send a message with another workflow: its event appears here.<br /><br />';

/** Starts a workflow for every signed event of the service (docs/service.md, section 6.1). */
export class MessagingServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Trigger',
		name: 'messagingServiceTrigger',
		icon: {
			light: 'file:../../icons/messagingService.svg',
			dark: 'file:../../icons/messagingService.dark.svg',
		},
		group: ['trigger'],
		// For version 1, n8n evaluates an extra expression at every delivery.
		version: 1.1,
		subtitle:
			'={{ $parameter["events"].map((event) => event.replace(/^message./, "")).join(", ") }}',
		// n8n's list of nodes introduces the actions with this text, too.
		description:
			'Chat messages, campaigns, calls and emails. As a trigger, starts the workflow when a message is sent, delivered or read, or fails.',
		eventTriggerDescription: 'Send a message with another workflow; its event appears here',
		activationMessage:
			'Every chosen event now starts the workflow. Its executions appear in the list of executions.',
		triggerPanel: {
			header: 'Listen for a message event',
			executionsHelp: {
				inactive: `${whileBuilding}<b>Once it is ready</b>, publish it. Then every event starts it: see the list of <a data-key="executions">executions</a>.`,
				active: `${whileBuilding}<b>This workflow is published</b>. Every event starts it: see the list of <a data-key="executions">executions</a>.`,
			},
		},
		builderHint: {
			searchHint:
				'Needs a public HTTPS address for n8n. Without one, and for balances, calls and numbers, use Messaging Service Polling Trigger.',
		},
		defaults: { name: 'Messaging Service Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingServiceApi', required: true, testedBy: 'testCredential' }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
			},
		],
		properties: triggerFields,
	};

	methods = { credentialTest: { testCredential } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await publishing(this, async ({ keep }) => await keep(subscriptionOf(this).events));
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await publishing(
					this,
					async ({ create }) => await create(subscriptionOf(this).events),
				);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await withAdvice(this, async () => await (await registrationOf(this)).delete());
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}
}
