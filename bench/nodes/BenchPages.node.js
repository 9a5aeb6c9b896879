/** Reads the whole call log with n8n's request helper, five pages at once, and does nothing else. */
class BenchPages {
	description = {
		displayName: 'Bench Pages',
		name: 'benchPages',
		group: ['input'],
		version: 1,
		description: 'Reads all pages of a list',
		defaults: { name: 'Bench Pages' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingServiceApi', required: true }],
		properties: [],
	};

	async execute() {
		const { baseUrl, apiKey } = await this.getCredentials('messagingServiceApi');
		const read = async (page) =>
			await this.helpers.httpRequest({
				url: `${baseUrl}/voice/call-logs`,
				qs: { page, pageSize: 100 },
				headers: { 'x-api-key': apiKey },
			});
		const first = await read(1);
		const pages = [first.data];
		const count = Math.ceil(first.pagination.total / 100);
		const work = async () => {
			while (pages.length < count) {
				const number = pages.push([]);
				pages[number - 1] = (await read(number)).data;
			}
		};
		await Promise.all(Array.from({ length: 5 }, work));
		return [pages.flat().map((json) => ({ json, pairedItem: { item: 0 } }))];
	}
}

module.exports = { BenchPages };
