import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** The rows of n8n's table. */
const rows = new Map<string, string[]>();

const rowOf = (scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string =>
	`${workflow.id} ${scope === 'node' ? node?.id : ''}`;

/**
 * What n8n's server does with its database, in memory: one row per workflow and node, read and
 * written with a gap between, so that calls at the same time lose entries.
 */
class Deduplicator implements Partial<IDataDeduplicator> {
	async checkProcessedAndRecord(
		items: string[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries = Infinity }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const row = rowOf(scope, context);
		const entries = rows.get(row) ?? [];
		await nextTurn();
		const there = new Set(entries);
		const added = items.filter((item) => !there.has(item));
		rows.set(row, [...entries, ...added].slice(-maxEntries));
		return { new: added, processed: items.filter((item) => there.has(item)) };
	}

	async removeProcessed(
		items: string[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const row = rowOf(scope, context);
		const entries = rows.get(row) ?? [];
		await nextTurn();
		const gone = new Set(items);
		rows.set(
			row,
			entries.filter((entry) => !gone.has(entry)),
		);
	}
}

let isReady: Promise<void> | undefined;

/** Gives n8n-core what n8n's server gives it at its start. */
export async function useDeduplicator(): Promise<void> {
	await (isReady ??= DataDeduplicationService.init(
		new Deduplicator() as Partial<IDataDeduplicator> as IDataDeduplicator,
	));
}

/** Empties all rows. */
export const clearRows = (): void => rows.clear();
