/** A polling trigger that reads the credential, asks once and has nothing to tell: the least that one can do. */
class BenchLook {
	description = {
		displayName: 'Bench Look',
		name: 'benchLook',
		group: ['trigger'],
		version: 1,
		description: 'Polls',
		defaults: { name: 'Bench Look' },
		polling: true,
		inputs: [],
		outputs: ['main'],
		credentials: [{ name: 'messagingServiceApi', required: true }],
		properties: [{ displayName: 'Path', name: 'path', type: 'string', default: '' }],
	};

	async poll() {
		const { baseUrl } = await this.getCredentials('messagingServiceApi');
		const url = `${baseUrl}${this.getNodeParameter('path')}`;
		await this.helpers.httpRequestWithAuthentication.call(this, 'messagingServiceApi', { url });
		return null;
	}
}

module.exports = { BenchLook };
