import type { IExecuteFunctions } from 'n8n-workflow';

/** What n8n offers a node for noting entries, held in memory: one row for all of its contexts. */
export class FakeStore {
	/** Each call, as `note` or `strike` and what was given. */
	readonly calls: Array<[string, string[]]> = [];

	/** Whether one process has made two writes at once: n8n would have lost one of them. */
	hasOverlapped = false;

	private writing = 0;

	/**
	 * @param onWrite called before each write; what it throws is what the database says
	 * @param entries the row, for processes that share one
	 */
	constructor(
		private readonly onWrite: () => unknown = () => {},
		readonly entries = new Set<string>(),
	) {}

	private async write(): Promise<void> {
		this.hasOverlapped ||= this.writing++ > 0;
		try {
			await this.onWrite();
		} finally {
			this.writing--;
		}
	}

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
					await this.write();
					const processed = items.filter((item) => this.entries.has(item));
					for (const item of items) this.entries.add(item);
					for (const oldest of this.entries) {
						if (this.entries.size <= maxEntries) break;
						this.entries.delete(oldest);
					}
					return { new: [], processed };
				},
				removeProcessed: async (items: string[], scope: string, { mode }: { mode: string }) => {
					expect([scope, mode]).toEqual(['node', 'entries']);
					this.calls.push(['strike', items]);
					await this.write();
					for (const item of items) this.entries.delete(item);
				},
			},
		} as unknown as IExecuteFunctions;
	}
}
