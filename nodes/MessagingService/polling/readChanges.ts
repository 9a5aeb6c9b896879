import { ChangeDetector, type Change, type ListRules } from './changeDetector';
import type { History } from './history';
import { newestFirst, type ReadPage } from '../api/pages';

/**
 * Reads as much of a list as is needed to know what has changed.
 *
 * @param before what is known of the list; undefined at the starting point, which has no changes
 */
export async function readChanges(
	read: ReadPage,
	rules: ListRules,
	before: History | undefined,
): Promise<{ changes: Change[]; history: History }> {
	const detector = new ChangeDetector(rules, before);
	for await (const page of newestFirst(read, rules)) {
		detector.add(page);
		if (detector.isEnough()) break;
	}
	return detector.finish();
}
