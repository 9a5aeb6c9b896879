const {
	MessagingService,
} = require('n8n-nodes-messaging-service/dist/nodes/MessagingService/MessagingService.node.js');

/** A node with the package's parameters that returns some of them for each item: what n8n takes to read them. */
class BenchReading extends MessagingService {
	constructor() {
		super();
		const { icon, usableAsTool, ...description } = this.description;
		this.description = { ...description, displayName: 'Reading', name: 'benchReading' };
	}

	async execute() {
		const names = ['to', 'subject', 'emailFormat', 'text', 'options'];
		const read = (item) =>
			Object.fromEntries(names.map((name) => [name, this.getNodeParameter(name, item)]));
		return [this.getInputData().map((_, item) => ({ json: read(item), pairedItem: { item } }))];
	}
}

module.exports = { BenchReading };
