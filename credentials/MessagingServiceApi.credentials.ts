import type { IAuthenticate, ICredentialType, INodeProperties, Icon } from 'n8n-workflow';
import { withKey } from '../nodes/MessagingService/api/credential';

/** API key and base URL of the messaging service (docs/service.md, section 5.1). */
export class MessagingServiceApi implements ICredentialType {
	name = 'messagingServiceApi';

	displayName = 'Messaging Service API';

	icon: Icon = {
		light: 'file:../icons/messagingService.svg',
		dark: 'file:../icons/messagingService.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-messaging-service/n8n-nodes-messaging-service/blob/main/docs/installation.md#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://host.example/api/v1',
			description:
				'Address of the service, including the version segment. Use https:// for every host except your own machine: with http://, anyone on the network path can read the API key.',
		},
		{
			displayName:
				'Use https:// for every host except your own machine: with http://, anyone on the network path can read the API key.',
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
			description: 'Created on the dashboard under Settings > API Keys, where it is shown once',
		},
		{
			displayName: 'Allowed Country Codes',
			name: 'countryCodes',
			type: 'string',
			default: '',
			placeholder: 'e.g. 44, 1',
			description:
				'Codes separated by commas. Chat messages and calls to numbers that do not start with one of these codes are rejected: a number without its country code could reach a stranger abroad. If empty, every number is allowed; an expression must return codes. The HTTP Request node of n8n does not check this.',
		},
	];

	// A function takes about a third less time per request than n8n's declarative form.
	authenticate: IAuthenticate = async (credentials, requestOptions) =>
		withKey(credentials, requestOptions);
}
