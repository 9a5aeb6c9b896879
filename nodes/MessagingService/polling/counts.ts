import type { ListPage } from './pages';

/** How many records a list has. */
export interface Counts {
	total: number | null;
	/** By status, if the list counts them. */
	stats: Record<string, number> | null;
}

export const countsOf = ({ total, stats }: ListPage): Counts => ({
	total: total ?? null,
	stats: stats ?? null,
});

/** Whether two counts say the same; a status that is not named counts 0. */
export function isSame(a: Counts, b: Counts): boolean {
	if (a.total !== b.total || (a.stats === null) !== (b.stats === null)) return false;
	const names = Object.keys({ ...a.stats, ...b.stats });
	return names.every((name) => (a.stats?.[name] ?? 0) === (b.stats?.[name] ?? 0));
}
