/** Events that came in, by the name of their workflow's branch. */
const seen = new Map();

/** Notes the message id of each event; asked with `read`, it tells how many came and how many differ. */
class BenchCount {
	description = {
		displayName: 'Bench Count',
		name: 'benchCount',
		group: ['output'],
		version: 1,
		description: 'Counts events',
		defaults: { name: 'Bench Count' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'Name', name: 'name', type: 'string', default: '' },
			{ displayName: 'Read', name: 'read', type: 'boolean', default: false },
		],
	};

	async execute() {
		const items = this.getInputData();
		if (this.getNodeParameter('read', 0)) {
			const ids = seen.get(items[0].json.body.name) ?? [];
			return [[{ json: { events: ids.length, different: new Set(ids).size } }]];
		}
		const name = this.getNodeParameter('name', 0);
		if (!seen.has(name)) seen.set(name, []);
		for (const { json } of items) {
			seen.get(name).push((json.data ?? json.body.data).providerMessageId);
		}
		return [items];
	}
}

module.exports = { BenchCount };
