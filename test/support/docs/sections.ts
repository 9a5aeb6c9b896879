/** A section of docs/operations.md. */
export interface OperationSection {
	/** Name of the block that holds the operation's fields. */
	block: string;
	resourceName: string;
	operationName: string;
	/** Endpoint, scope and price, as the first line says them. */
	facts: string;
}

/**
 * The document with a section for each operation: what is missing is put behind the section before
 * it, under a heading for its resource if there is none.
 *
 * @param sections in the order of the document
 */
export function withSections(document: string, sections: OperationSection[]): string {
	let text = document;
	let at = text.search(/^## /m);
	for (const { block, resourceName, operationName, facts } of sections) {
		const [start, end] = [`<!-- ${block} -->`, `<!-- /${block} -->`];
		const heading = `## ${resourceName}\n`;
		const under = text.indexOf(`\n${heading}`);
		if (!text.includes(start)) {
			if (under >= 0) at = Math.max(at, under + 1 + heading.length);
			const own = `### ${resourceName} ${operationName}\n\n${facts}\n\n${start}\n\n${end}\n`;
			const added = `\n${under >= 0 ? '' : `${heading}\n`}${own}`;
			text = `${text.slice(0, at)}${added}${text.slice(at)}`;
		}
		at = text.indexOf(end) + end.length + 1;
	}
	return text;
}
