import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** The rows of n8n's table, as text: nobody holds on to what a row was. */
const rows = new Map<string, string>();

const rowOf = (scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string =>
	`${workflow.id} ${scope === 'node' ? node?.id : ''}`;

const hash = (value: unknown): string => createHash('md5').update(String(value)).digest('base64');

const read = (row: string): string[] => JSON.parse(rows.get(row) ?? '[]') as string[];

/**
 * What n8n's server does with its database, in memory: one row per workflow and node, read and
 * written with a gap between, so that calls at the same time lose entries.
 */
class Deduplicator implements IDataDeduplicator {
	async checkProcessedAndRecord(
		items: string[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries = 0 }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const row = rowOf(scope, context);
		const entries = read(row);
		await nextTurn();
		const there = new Set(entries);
		const processed = items.filter((item) => there.has(hash(item)));
		const added = items.filter((item) => !there.has(hash(item)));
		entries.push(...added.map(hash));
		if (maxEntries > 0) entries.splice(0, Math.max(0, entries.length - maxEntries));
		rows.set(row, JSON.stringify(entries));
		return { new: added, processed };
	}

	async removeProcessed(
		items: string[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const row = rowOf(scope, context);
		const entries = read(row);
		await nextTurn();
		for (const item of items) {
			const index = entries.indexOf(hash(item));
			if (index !== -1) entries.splice(index, 1);
		}
		rows.set(row, JSON.stringify(entries));
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		rows.delete(rowOf(scope, context));
		await nextTurn();
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<number> {
		await nextTurn();
		return read(rowOf(scope, context)).length;
	}
}

let isReady: Promise<void> | undefined;

/** Gives n8n-core what n8n's server gives it at its start. */
export async function useDeduplicator(): Promise<void> {
	await (isReady ??= DataDeduplicationService.init(new Deduplicator()));
}

/** Empties all rows. */
export const clearRows = (): void => rows.clear();
