import { citations, looseSections, namedDocuments, sectionsOf } from '../support/docs/citations';
import { documents, filesIn, allFolders, isThere, textOf } from '../support/docs/files';

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

test.each(['docs/service.md', 'docs/contract.md'])('the sections of %s have no gap', (file) => {
	const sections = [...sectionsOf(textOf(file))];
	const expected = sections.map((section, position) => {
		const before = (sections[position - 1] ?? '0').split('.').map(Number);
		const depth = section.split('.').length;
		const parts = before.slice(0, depth);
		return [...parts, ...Array<number>(depth - parts.length).fill(0)]
			.map((part, at) => (at === depth - 1 ? part + 1 : part))
			.join('.');
	});
	expect(sections).toEqual(expected);
	expect(sections.length).toBeGreaterThan(20);
});
