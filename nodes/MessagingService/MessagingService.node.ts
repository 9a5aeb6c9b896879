import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { testCredential } from './credentialTest/testCredential';
import { findOperation, properties, subtitle } from './actions';
import { listSearch } from './listSearch/search';
import { answerWebhooks, receiveAnswer } from './sendAndWait/receive';
import { run } from './running/run';

/** All operations of the service. The trigger nodes receive the service's events. */
export class MessagingService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service',
		name: 'messagingService',
		icon: {
			light: 'file:../../icons/messagingService.svg',
			dark: 'file:../../icons/messagingService.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle,
		description:
			'Send chat messages, bulk campaigns, voice calls and emails, and read their status',
		defaults: { name: 'Messaging Service' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Every run sends and costs money: set Options > Simulate while building. Send Text or Image needs a browser session on the dashboard, Send Template needs an approved template. For many recipients of one template, use Bulk Campaign > Create without a loop: it takes all items at once.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingServiceApi', required: true, testedBy: 'testCredential' }],
		webhooks: answerWebhooks,
		waitingNodeTooltip:
			'={{ $parameter["operation"] === "sendAndWait" ? "The execution continues when the recipient answers" + ($parameter["options"]?.["limitWaitTime"] ? ", or when the wait time limit has passed" : "") : "" }}',
		properties,
	};

	methods = { credentialTest: { testCredential }, listSearch };

	/** An answer to a message that was sent with Send and Wait for Response. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveAnswer(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const name = this.getNodeParameter('operation', 0);
		const operation = findOperation(resource, name);
		if (!operation) {
			const description = 'Choose a resource and an operation, or update the package.';
			const message = `This node has no operation "${resource}: ${name}"`;
			throw new NodeOperationError(this.getNode(), message, { description });
		}
		return [await run(this, operation)];
	}
}
