/** A section of one of the numbered documents, as a text refers to it. */
interface Citation {
	/** Path in the clone. */
	document: string;
	section: string;
}

const number = String.raw`\d+(?:\.\d+)*`;
const full = new RegExp(
	String.raw`(docs/\w+\.md), sections? (${number}(?:(?:, | and | to )${number})*)`,
	'g',
);

/** A text without what the ends of lines put into its comments. */
const flowing = (text: string): string => text.replace(/\s*\n\s*(?:\* |\/\/ )?/g, ' ');

/** All sections that a text cites as "docs/service.md, section 4.13 and 7.5". */
export function citations(text: string): Citation[] {
	return [...flowing(text).matchAll(full)].flatMap(([, document = '', sections = '']) =>
		sections.split(/, | and | to /).map((section) => ({ document, section })),
	);
}

/** Sections and rules named without their document or section: nobody can look them up. */
export function looseSections(text: string): string[] {
	return (
		flowing(text)
			.replace(full, '')
			.match(/\b(?:sections?|rules?) \d[\d.]*/gi) ?? []
	);
}

/** Documents that a text names, e.g. `docs/service.md`. */
export function namedDocuments(text: string): string[] {
	return text.match(/[\w./-]+\.md\b/g) ?? [];
}

/** Numbers of a document's sections: those of its headings, and of rows of tables that have one. */
export function sectionsOf(document: string): Set<string> {
	const found = document.matchAll(/^(?:#+ (\d+(?:\.\d+)*)\.?|\| (\d+(?:\.\d+)+)) /gm);
	return new Set([...found].map(([, heading, row]) => heading ?? row ?? ''));
}
