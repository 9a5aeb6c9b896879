/** How many records a list has. */
export interface Counts {
	total: number | null;
	/** By status, if the list counts them. */
	stats: Record<string, number> | null;
}

/** Adds records with the status, or takes some away. */
export function count(counts: Counts, status: string, by: number): void {
	if (counts.total !== null) counts.total += by;
	if (counts.stats) counts.stats[status] = (counts.stats[status] ?? 0) + by;
}

/** Whether two counts say the same; a status that is not named counts 0. */
export function isSame(a: Counts, b: Counts): boolean {
	if (a.total !== b.total || (a.stats === null) !== (b.stats === null)) return false;
	const names = Object.keys({ ...a.stats, ...b.stats });
	return names.every((name) => (a.stats?.[name] ?? 0) === (b.stats?.[name] ?? 0));
}
