/** As many sends as a crash may leave in doubt (docs/contract.md, section 4.3). */
const mostInDoubt = 25;

/**
 * Notes sends in n8n's store before they would go out and does nothing else: what any node pays at
 * least that has at most 25 of them in doubt after a crash.
 */
class BenchNote {
	description = {
		displayName: 'Bench Note',
		name: 'benchNote',
		group: ['output'],
		version: 1,
		description: 'Notes as many sends as there are items',
		defaults: { name: 'Bench Note' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'Empty First', name: 'isEmptied', type: 'boolean', default: false },
		],
	};

	async execute() {
		const items = this.getInputData();
		const options = { mode: 'entries', maxEntries: 10_000 };
		if (this.getNodeParameter('isEmptied', 0))
			await this.helpers.clearAllProcessedItems('node', options);
		const ids = items.map((_, index) => `${this.getExecutionId()} ${index}`);
		for (let from = 0; from < ids.length; from += mostInDoubt) {
			await this.helpers.checkProcessedAndRecord(
				ids.slice(from, from + mostInDoubt),
				'node',
				options,
			);
		}
		return [items];
	}
}

module.exports = { BenchNote };
