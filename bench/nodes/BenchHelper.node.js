/** n8n's request helper and one parameter of each item: what any node pays for a request at least. */
class BenchHelper {
	description = {
		displayName: 'Bench Helper',
		name: 'benchHelper',
		group: ['output'],
		version: 1,
		description: 'Sends template messages with the bare request helper',
		defaults: { name: 'Bench Helper' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingServiceApi', required: true }],
		properties: [
			{ displayName: 'At Once', name: 'atOnce', type: 'number', default: 5 },
			{ displayName: 'Phone', name: 'phone', type: 'string', default: '' },
		],
	};

	async execute() {
		const items = this.getInputData();
		const atOnce = this.getNodeParameter('atOnce', 0);
		const { baseUrl, apiKey } = await this.getCredentials('messagingServiceApi');
		const results = [];
		let next = 0;
		const work = async () => {
			while (next < items.length) {
				const index = next++;
				const phone = this.getNodeParameter('phone', index);
				const json = await this.helpers.httpRequest({
					method: 'POST',
					url: `${baseUrl}/chat/send-template`,
					headers: { 'x-api-key': apiKey },
					body: { phone, templateName: 'order_update', language: 'en' },
				});
				results[index] = { json, pairedItem: { item: index } };
			}
		};
		await Promise.all(Array.from({ length: atOnce }, work));
		return [results];
	}
}

module.exports = { BenchHelper };
