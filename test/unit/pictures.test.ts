import { documents, filesIn, textOf } from '../support/docs/files';
import { madeFrom, pictured } from '../support/docs/pictured';

test('the pictures show the nodes as they are', () => {
	// If this fails: UPDATE_DOCS=1 npm run test:editor
	expect(JSON.parse(textOf(madeFrom))).toEqual(pictured());
});

test('every picture is shown by a document', () => {
	const shown = documents.flatMap((file) =>
		[...textOf(file).matchAll(/\]\((?:docs\/)?images\/([^)]+)\)/g)].map(([, name]) => name),
	);
	const there = filesIn('docs/images', /\.jpg$/).map((file) => file.split('/').pop());
	expect(there.filter((name) => !shown.includes(name))).toEqual([]);
});
