/** As many sends as a crash may leave in doubt (docs/contract.md, section 4.3). */
const mostInDoubt = 25;

/** Entries that are removed together. */
const longestTail = 250;

/**
 * Notes sends in n8n's store before they would go out and does nothing else: what any node pays at
 * least that has at most 25 of them in doubt after a crash. Where 10,000 keys stay, what tells a send
 * that is under way from one that was accepted has to leave the row again.
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
		properties: [{ displayName: 'Keyed', name: 'isKeyed', type: 'boolean', default: false }],
	};

	async execute() {
		const items = this.getInputData();
		const isKeyed = this.getNodeParameter('isKeyed', 0);
		const options = { mode: 'entries', maxEntries: 12_000 };
		if (!isKeyed) await this.helpers.clearAllProcessedItems('node', options);
		const ids = items.map((_, index) => `${this.getExecutionId()} ${index}`);
		const doubts = [];
		for (let from = 0; from < ids.length; from += mostInDoubt) {
			const block = ids.slice(from, from + mostInDoubt);
			if (isKeyed) doubts.push(...block.map((id) => `${id} in doubt`));
			const entries = [...block, ...doubts.slice(-block.length)];
			await this.helpers.checkProcessedAndRecord(entries, 'node', options);
			if (doubts.length < longestTail) continue;
			await this.helpers.removeProcessed(doubts.splice(0), 'node', options);
		}
		return [items];
	}
}

module.exports = { BenchNote };
