import { documents, filesIn, allFolders, isThere, textOf } from '../support/docs/files';

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
function citations(text: string): Citation[] {
	return [...flowing(text).matchAll(full)].flatMap(([, document = '', sections = '']) =>
		sections.split(/, | and | to /).map((section) => ({ document, section })),
	);
}

/** Sections and rules named without their document or section: nobody can look them up. */
function looseSections(text: string): string[] {
	return (
		flowing(text)
			.replace(full, '')
			.match(/\b(?:sections?|rules?) \d[\d.]*/gi) ?? []
	);
}

/** Documents that a text names, e.g. `docs/service.md`. */
function namedDocuments(text: string): string[] {
	return text.match(/[\w./-]+\.md\b/g) ?? [];
}

/** Numbers of a document's sections: those of its headings, and of rows of tables that have one. */
function sectionsOf(document: string): Set<string> {
	const found = document.matchAll(/^(?:#+ (\d+(?:\.\d+)*)\.?|\| (\d+(?:\.\d+)+)) /gm);
	return new Set([...found].map(([, heading, row]) => heading ?? row ?? ''));
}

const sources = allFolders.flatMap((folder) => filesIn(folder, /\.(ts|js|mjs)$/));
/** These two speak of documents that are not there, to find out whether that is noticed. */
const checkers = ['test/unit/docs.test.ts', 'test/unit/citations.test.ts'];
const citing = [...sources, ...documents].filter((file) => !checkers.includes(file));

describe('citations', () => {
	test('lead to a section that is there', () => {
		const found = citing.flatMap((file) =>
			citations(textOf(file)).map((citation) => ({ file, ...citation })),
		);
		const missing = found.filter(
			({ document, section }) => !isThere(document) || !sectionsOf(textOf(document)).has(section),
		);
		expect(missing).toEqual([]);
		expect(found.length).toBeGreaterThan(80);
	});

	test('name their document', () => {
		const loose = citing.filter((file) => looseSections(textOf(file)).length > 0);
		// A link to a heading says by itself where it leads.
		expect(loose.filter((file) => !file.endsWith('.md'))).toEqual([]);
	});

	test('of code stay inside the repository', () => {
		const outside = sources
			.filter((file) => !checkers.includes(file))
			.flatMap((file) => namedDocuments(textOf(file)).map((document) => `${file}: ${document}`))
			.filter((named) => !isThere(named.slice(named.indexOf(': ') + 2)));
		expect(outside).toEqual([]);
	});
});
