import type { ICredentialType, INodeProperties, Icon } from 'n8n-workflow';
import { dashboardCredential } from '../nodes/MessagingService/trigger/dashboard';

/** The verification token of dashboard webhooks (docs/service.md, section 5.8). */
export class MessagingServiceDashboardApi implements ICredentialType {
	name = dashboardCredential.name;

	displayName = dashboardCredential.displayName;

	icon: Icon = {
		light: 'file:../icons/messagingService.svg',
		dark: 'file:../icons/messagingService.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-messaging-service/n8n-nodes-messaging-service/blob/main/docs/triggers.md#messaging-service-dashboard-trigger';

	properties: INodeProperties[] = [
		{
			displayName: 'Verification Token',
			name: 'verificationToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'A text of your choice. Enter the same text on the dashboard, where you create the webhook. At least 8 characters; one delivery can carry a hundred guesses, so a short token can be found.',
			hint: 'Use 20 random letters and digits',
		},
	];
}
