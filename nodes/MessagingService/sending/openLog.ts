import type { IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { lineageOf } from './identity';
import type { Results } from './results';
import { SendLog } from './sendLog';
import { stateOf, type Row } from './store';

/**
 * Finds out which try of which execution this is, and opens its log.
 *
 * All tries share the moment in which the first one began. Two executions may share it, too: each has a
 * slot of it, which it remembers. Where a crash took that along, it was the first, unless there is a
 * second.
 *
 * @param isWhole whether the run's list is known as a whole, not each send of it
 * @returns undefined in a workflow that was never saved, for which n8n keeps nothing
 * @throws Failure when n8n's database refuses, or when nobody can tell which execution this is
 */
export async function openLog(
	{ context, mostOpen }: { context: IExecuteFunctions; mostOpen: number },
	results: Results,
	isWhole: boolean,
): Promise<SendLog | undefined> {
	const state = stateOf(context);
	if (!state) return undefined;
	const { saved } = results;
	const lineage = lineageOf(context);
	const isContinued = saved.slot !== undefined;
	const isRetry = context.getMode() === 'retry';
	const [kind, otherKind] = isWhole ? (['lists', 'sends'] as const) : (['sends', 'lists'] as const);
	const parts = { context, state, results, mostOpen };
	if (isContinued && !isRetry && saved.kinds?.[kind]) {
		const name = `${lineage} ${saved.slot}`;
		const nothing = { marks: [], isRetry: false, isChanged: false, isMixed: false };
		return new SendLog({ ...parts, name, ...nothing });
	}
	return await state.store.turn(context, async (row) => {
		for (let slot = saved.slot ?? 1; ; slot++) {
			const name = `${lineage} ${slot}`;
			const begun = `${name} begun`;
			const own = `${begun} ${context.getExecutionId()}`;
			const marks = [begun, own, `${name} ${kind}`];
			const before = await row.note(marks);
			const hasNotes = before.has(begun) && (isRetry || !isContinued);
			if (hasNotes && !isRetry && !before.has(own)) {
				await row.strike(marks.filter((mark) => !before.has(mark)));
				await row.note(seconds(lineage));
				continue;
			}
			if (hasNotes && !isContinued && (await areThere(row, seconds(lineage)))) throw ambiguous();
			const isAnew = hasNotes && !results.isResumed;
			saved.slot = slot;
			saved.kinds = { ...saved.kinds, [kind]: true };
			const changed = `${name} changed`;
			if (isAnew) await row.note([changed]);
			const isChanged = isAnew || (hasNotes && (await areThere(row, [changed])));
			const isMixed = isChanged && (await areThere(row, [`${name} ${otherKind}`]));
			return new SendLog({ ...parts, name, marks, isRetry: hasNotes, isChanged, isMixed });
		}
	});
}

/** Says that a moment has a second execution: twice, because a question that is cut short says it once. */
const seconds = (lineage: string): string[] => [`${lineage} second`, `${lineage} second indeed`];

/** Whether all entries are noted, asked one after the other. */
async function areThere(row: Row, entries: string[]): Promise<boolean> {
	for (const entry of entries) {
		const before = await row.note([entry]);
		if (before.has(entry)) continue;
		await row.strike([entry]);
		return false;
	}
	return true;
}

const ambiguous = (): Failure =>
	new Failure('Two executions of this node began in the same moment, and one of them was cut off', {
		outcome: 'unknown',
		description:
			'Which of them this is cannot be told, so nothing was sent. Look up what was sent, then run the workflow again for the rest.',
	});
