import type { IAuthenticate, ICredentialType, INodeProperties, Icon } from 'n8n-workflow';
import { withKey } from '../nodes/MessagingService/api/client';

/** API key of the messaging service and the address it is used at (docs/service.md, section 5.1). */
export class MessagingServiceApi implements ICredentialType {
	name = 'messagingServiceApi';

	displayName = 'Messaging Service API';

	icon: Icon = {
		light: 'file:../icons/messagingService.svg',
		dark: 'file:../icons/messagingService.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-messaging-service/n8n-nodes-messaging-service#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://host.example/api/v1',
			description:
				'Address of the service including its version segment. Use https:// for every host but your own machine: with http:// anyone on the way can read the API key.',
		},
		{
			displayName:
				'With http:// anyone on the way to this host can read the API key. Use https:// for every host but your own machine.',
			name: 'unencryptedNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { baseUrl: [{ _cnd: { startsWith: 'http://' } }] } },
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Created in the dashboard under Settings > API Keys, where it is shown once',
		},
		{
			displayName: 'Allowed Country Codes',
			name: 'countryCodes',
			type: 'string',
			default: '',
			placeholder: 'e.g. 44, 1',
			description:
				'Codes separated by commas. A chat message or call to a number that begins otherwise is refused: a number without its country code would reach a stranger abroad. Every number is allowed if empty.',
		},
	];

	// A function costs about a third less per request than the expression form.
	authenticate: IAuthenticate = async (credentials, requestOptions) =>
		withKey(credentials, requestOptions);
}
