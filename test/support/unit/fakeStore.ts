import type { IExecuteFunctions } from 'n8n-workflow';

/** What n8n offers a node for noting entries, held in memory: one row for all of its contexts. */
export class FakeStore {
	/** Each call, as `note` or `strike` and what was given. */
	readonly calls: Array<[string, string[]]> = [];

	/**
	 * @param onWrite called before each write; what it throws is what the database says
	 * @param entries the row, for processes that share one
	 */
	constructor(
		private readonly onWrite: () => unknown = () => {},
		readonly entries: string[] = [],
	) {}

	/** The context of a node with an id of its own, so that no other test shares its ledger. */
	context(workflowId: string | undefined, nodeId: string): IExecuteFunctions {
		return {
			getWorkflow: () => ({ id: workflowId }),
			getNode: () => ({ id: nodeId }),
			helpers: {
				checkProcessedAndRecord: async (
					items: string[],
					scope: string,
					{ mode, maxEntries = Infinity }: { mode: string; maxEntries?: number },
				) => {
					expect([scope, mode]).toEqual(['node', 'entries']);
					this.calls.push(['note', items]);
					await this.onWrite();
					const there = new Set(this.entries);
					const processed = items.filter((item) => there.has(item));
					this.entries.push(...items.filter((item) => !there.has(item)));
					this.entries.splice(0, this.entries.length - maxEntries);
					return { new: [], processed };
				},
				removeProcessed: async (items: string[], scope: string, { mode }: { mode: string }) => {
					expect([scope, mode]).toEqual(['node', 'entries']);
					this.calls.push(['strike', items]);
					await this.onWrite();
					const gone = new Set(items);
					const left = this.entries.filter((entry) => !gone.has(entry));
					this.entries.splice(0, this.entries.length, ...left);
				},
			},
		} as unknown as IExecuteFunctions;
	}
}
