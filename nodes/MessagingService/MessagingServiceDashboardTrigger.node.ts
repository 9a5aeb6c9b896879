import {
	NodeConnectionTypes,
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type INodeCredentialTestResult,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import {
	dashboardCredential,
	dashboardFields,
	dashboardSubtitle,
	receiveFromDashboard,
	tokenIn,
} from './trigger/dashboard';

/** Starts a workflow for every delivery to a dashboard webhook (docs/service.md, section 6.3). */
export class MessagingServiceDashboardTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Dashboard Trigger',
		name: 'messagingServiceDashboardTrigger',
		icon: {
			light: 'file:../../icons/messagingService.svg',
			dark: 'file:../../icons/messagingService.dark.svg',
		},
		group: ['trigger'],
		// For version 1, n8n evaluates an extra expression at every delivery.
		version: 1.1,
		subtitle: dashboardSubtitle,
		description:
			'Starts the workflow when a message arrives, or when the status of a message or email changes',
		eventTriggerDescription: 'Enter the test URL on the dashboard; the next delivery appears here',
		activationMessage:
			'Enter the production URL on the dashboard. From then on, every delivery starts the workflow.',
		triggerPanel: { header: 'Listen for a delivery' },
		defaults: { name: 'Messaging Service Dashboard Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: dashboardCredential.name,
				required: true,
				testedBy: 'testVerificationToken',
				displayOptions: { show: { authentication: ['token'] } },
			},
		],
		webhooks: [
			{
				name: 'setup',
				httpMethod: 'GET,HEAD',
				responseMode: 'onReceived',
				path: 'webhook',
				ndvHideUrl: true,
			},
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
			},
		],
		properties: dashboardFields,
	};

	methods = {
		credentialTest: {
			/** Checks the length only, because no documented request shows the token of the dashboard. */
			async testVerificationToken(
				this: ICredentialTestFunctions,
				{ data = {} }: ICredentialsDecrypted,
			): Promise<INodeCredentialTestResult> {
				return await Promise.resolve(
					tokenIn(data)
						? { status: 'OK', message: 'The first delivery shows whether it matches' }
						: { status: 'Error', message: 'Enter at least 8 characters' },
				);
			},
		},
	};

	// n8n requires these methods, but the user registers the address on the dashboard.
	webhookMethods = {
		default: {
			checkExists: async () => await Promise.resolve(true),
			create: async () => await Promise.resolve(true),
			delete: async () => await Promise.resolve(true),
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveFromDashboard(this);
	}
}
