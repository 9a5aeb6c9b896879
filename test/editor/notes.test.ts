import type { INode } from 'n8n-workflow';
import { example, exampleFiles } from '../../scripts/start/examples';
import { useEditor } from '../support/editor';

const tests = useEditor('Notes');

test('the notes of the examples are as high as their texts', async () => {
	const notes = exampleFiles()
		.flatMap((file) => example(file).nodes)
		.filter(({ type }) => type === 'n8n-nodes-base.stickyNote')
		.map((note, index): INode => {
			const position: INode['position'] = [1_100 * (index % 6), 500 * Math.floor(index / 6)];
			return { ...note, id: String(index), name: String(index), position };
		});
	const workflow = { name: 'Notes', nodes: notes, connections: {} };
	await tests.editor.openWorkflow(await tests.n8n.createWorkflow(workflow));
	const shown = tests.editor.byId('sticky');
	await shown.nth(notes.length - 1).waitFor();
	// Whatever the zoom is: where the text ends, as a part of the note's height.
	const ends = await shown.evaluateAll((all) =>
		all.map((note) => {
			const { top, height } = note.getBoundingClientRect();
			const bottoms = [...note.querySelectorAll('p')].map(
				(text) => text.getBoundingClientRect().bottom,
			);
			return {
				title: note.querySelector('h2, h3')?.textContent,
				end: (Math.max(...bottoms) - top) / height,
			};
		}),
	);
	const sizes = new Map(
		notes.map(({ parameters: { content, height } }) => [
			/^#+ (.*)/.exec(String(content))?.[1] ?? '',
			Number(height),
		]),
	);
	const wrong = ends.flatMap(({ title, end }) => {
		const height = sizes.get(title ?? '') ?? 0;
		const text = Math.round(end * height);
		return text <= height - 8 && text >= height - 40 ? [] : [{ title, height, text }];
	});
	expect(wrong).toEqual([]);
});
