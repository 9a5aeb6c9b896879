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

	test('are found in every form', () => {
		const text = [
			'/** One (docs/service.md, section 4.13 and 7.5). */',
			' * Two (docs/contract.md,',
			' * section 6.4; docs/service.md, sections 4.10 to 4.12), three in section 9.',
			'// Four: ../other/rules.md, section 2.',
		].join('\n');
		expect(citations(text).map(({ section }) => section)).toEqual([
			...['4.13', '7.5', '6.4', '4.10', '4.12'],
		]);
		expect(looseSections(text)).toEqual(['section 9.', 'section 2.']);
		expect(namedDocuments(text)).toContain('../other/rules.md');
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
