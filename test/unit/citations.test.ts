import { documents, filesIn, allFolders, isThere, textOf } from '../support/docs/files';

const number = String.raw`\d+(?:\.\d+)*`;
const full = new RegExp(
	String.raw`(docs/\w+\.md), sections? (${number}(?:(?:, | and | to )${number})*)`,
	'g',
);

/** All sections that a text cites as "docs/service.md, section 4.13 and 7.5", also across lines of a comment. */
const citations = (text: string) =>
	[...text.replace(/\s*\n\s*(?:\* |\/\/ )?/g, ' ').matchAll(full)].flatMap(
		([, document = '', sections = '']) =>
			sections.split(/, | and | to /).map((section) => ({ document, section })),
	);

/** Numbers of a document's sections: those of its headings, and of entries of lists that have one. */
function sectionsOf(document: string): Set<string> {
	const found = document.matchAll(/^(?:#+ (\d+(?:\.\d+)*)\.?|- (\d+(?:\.\d+)+)) /gm);
	return new Set([...found].map(([, heading, row]) => heading ?? row ?? ''));
}

test('citations lead to a section that is there', () => {
	const sources = allFolders.flatMap((folder) => filesIn(folder, /\.(ts|js|mjs)$/));
	const found = [...sources, ...documents].flatMap((file) =>
		citations(textOf(file)).map((citation) => ({ file, ...citation })),
	);
	const missing = found.filter(
		({ document, section }) => !isThere(document) || !sectionsOf(textOf(document)).has(section),
	);
	expect(missing).toEqual([]);
	expect(found.length).toBeGreaterThan(80);
});
