import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	IDataDeduplicator,
} from 'n8n-workflow';
import { note, strike } from '../row';

/** The rows of n8n's table. */
const rows = new Map<string, Set<string>>();

/** Changes a row with a gap between reading and writing, so that calls at the same time lose entries. */
async function change<T>(
	scope: DeduplicationScope,
	{ workflow, node }: ICheckProcessedContextData,
	changed: (row: Set<string>) => T,
): Promise<T> {
	const name = `${workflow.id} ${scope === 'node' ? node?.id : ''}`;
	const row = new Set(rows.get(name));
	await nextTurn();
	rows.set(name, row);
	return changed(row);
}

/** What n8n's server does with its database, in memory: one row per workflow and node. */
const deduplicator: Partial<IDataDeduplicator> = {
	checkProcessedAndRecord: async (items, scope, context, { maxEntries }) =>
		await change(scope, context, (row) => note(row, items as string[], maxEntries)),
	removeProcessed: async (items, scope, context) =>
		await change(scope, context, (row) => strike(row, items as string[])),
};

let isReady: Promise<void> | undefined;

/** Gives n8n-core what n8n's server gives it at its start. */
export async function useDeduplicator(): Promise<void> {
	await (isReady ??= DataDeduplicationService.init(deduplicator as IDataDeduplicator));
}

/** Empties all rows. */
export const clearRows = (): void => rows.clear();
