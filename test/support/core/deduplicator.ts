import { setImmediate as nextTurn } from 'node:timers/promises';
import { difference, intersection, union } from 'lodash';
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	IDataDeduplicator,
} from 'n8n-workflow';

/** The rows of n8n's table. */
const rows = new Map<string, string[]>();

/** Changes a row with a gap between reading and writing, so that calls at the same time lose entries. */
async function change(
	scope: DeduplicationScope,
	{ workflow, node }: ICheckProcessedContextData,
	changed: (entries: string[]) => string[],
): Promise<string[]> {
	const row = `${workflow.id} ${scope === 'node' ? node?.id : ''}`;
	const entries = rows.get(row) ?? [];
	await nextTurn();
	rows.set(row, changed(entries));
	return entries;
}

/** What n8n's server does with its database, in memory: one row per workflow and node. */
const deduplicator: Partial<IDataDeduplicator> = {
	checkProcessedAndRecord: async (given, scope, context, { maxEntries = Infinity }) => {
		const items = given as string[];
		const before = await change(scope, context, (entries) =>
			union(entries, items).slice(-maxEntries),
		);
		return { new: difference(items, before), processed: intersection(items, before) };
	},
	removeProcessed: async (items, scope, context) => {
		await change(scope, context, (entries) => difference(entries, items as string[]));
	},
};

let isReady: Promise<void> | undefined;

/** Gives n8n-core what n8n's server gives it at its start. */
export async function useDeduplicator(): Promise<void> {
	await (isReady ??= DataDeduplicationService.init(deduplicator as IDataDeduplicator));
}

/** Empties all rows. */
export const clearRows = (): void => rows.clear();
