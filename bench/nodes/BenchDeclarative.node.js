/** The same send as a declarative node, which n8n itself carries out. */
class BenchDeclarative {
	description = {
		displayName: 'Bench Declarative',
		name: 'benchDeclarative',
		group: ['output'],
		version: 1,
		description: 'Sends template messages',
		defaults: { name: 'Bench Declarative' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingServiceApi', required: true }],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}' },
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				default: 'send',
				options: [
					{
						name: 'Send',
						value: 'send',
						routing: { request: { method: 'POST', url: '/chat/send-template' } },
					},
				],
			},
			...['phone', 'templateName', 'language'].map((name) => ({
				displayName: name,
				name,
				type: 'string',
				default: '',
				routing: { send: { type: 'body', property: name } },
			})),
		],
	};
}

module.exports = { BenchDeclarative };
