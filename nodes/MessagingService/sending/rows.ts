/**
 * Writes ascending row numbers in short: `0+1*3` stands for 0, 1, 2, and `4+5*2` for 4, 9. A chunk
 * of 10,000 rows of one template takes a dozen characters, and so does one of five that alternate.
 */
export function writeRows(rows: Uint32Array): string {
	const parts: string[] = [];
	for (let start = 0; start < rows.length; ) {
		const first = rows[start] ?? 0;
		const step = (rows[start + 1] ?? first + 1) - first;
		let end = start + 1;
		while (end < rows.length && (rows[end] ?? 0) - (rows[end - 1] ?? 0) === step) end++;
		parts.push(`${first}+${step}*${end - start}`);
		start = end;
	}
	return parts.join(',');
}

/** The row numbers that were written with `writeRows`. */
export function readRows(text: string): number[] {
	return text.split(',').flatMap((part) => {
		const [first = 0, step = 1, count = 0] = part.split(/[+*]/).map(Number);
		return Array.from({ length: count }, (_, index) => first + index * step);
	});
}
