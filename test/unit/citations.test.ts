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

/** Numbers of a document's sections: those of its headings, and of rows of tables that have one. */
function sectionsOf(document: string): Set<string> {
	const found = document.matchAll(/^(?:#+ (\d+(?:\.\d+)*)\.?|\| (\d+(?:\.\d+)+)) /gm);
	return new Set([...found].map(([, heading, row]) => heading ?? row ?? ''));
}

const sources = allFolders.flatMap((folder) => filesIn(folder, /\.(ts|js|mjs)$/));
const citing = [...sources, ...documents];

test('citations lead to a section that is there', () => {
	const found = citing.flatMap((file) =>
		citations(textOf(file)).map((citation) => ({ file, ...citation })),
	);
	const missing = found.filter(
		({ document, section }) => !isThere(document) || !sectionsOf(textOf(document)).has(section),
	);
	expect(missing).toEqual([]);
	expect(found.length).toBeGreaterThan(80);
});
