/** A row of n8n's table of processed entries, as n8n's server changes it: of too many, the oldest entries go. */
export function note(row: Set<string>, items: string[], maxEntries = Infinity) {
	const processed = items.filter((item) => row.has(item));
	for (const item of items) row.add(item);
	const surplus = Math.max(0, row.size - maxEntries);
	for (const oldest of [...row].slice(0, surplus)) row.delete(oldest);
	return { new: items.filter((item) => !processed.includes(item)), processed };
}

/** Removes entries. */
export function strike(row: Set<string>, items: string[]): void {
	for (const item of items) row.delete(item);
}
