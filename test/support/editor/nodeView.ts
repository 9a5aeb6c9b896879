import type { Locator } from 'playwright-core';
import { within } from '../../../harness';
import type { Editor } from './editor';

/** The view of one node: its input, parameters and output. */
export class NodeView {
	constructor(private readonly editor: Editor) {}

	/** Opens a node of the workflow that is shown. */
	static async open(editor: Editor, name: string): Promise<NodeView> {
		await editor.node(name).dblclick();
		return new NodeView(editor);
	}

	/** What the field shows that holds a text. */
	field(name: string): Locator {
		return this.editor.byId(`parameter-input-${name}`).locator('input, textarea');
	}

	/** The button that adds to a list, by its label. */
	add(label: string): Locator {
		return this.editor.byId('ndv').getByRole('button', { name: label });
	}

	/** Adds to a collection, e.g. "Add Field", by the text of its button and the entry's name. */
	async addTo(collection: string, entry: string): Promise<void> {
		await this.editor.byId('ndv').getByPlaceholder(collection).click();
		await this.editor.page.getByRole('option', { name: entry, exact: true }).click();
	}

	/** Chooses from the list of a resource locator. @returns what the list offered for the search */
	async chooseFromList(search: string, text: string): Promise<string[]> {
		await this.editor.byId('rlc-input').click();
		await this.editor.byId('rlc-search').fill(search);
		const entry = this.editor.byId('rlc-item').getByText(text);
		await entry.waitFor();
		const listed = this.editor.byId('rlc-item').allInnerTexts();
		const offered = await within('the list', listed);
		await entry.click();
		return offered;
	}

	/** Presses "Execute step". */
	async execute(): Promise<void> {
		await this.editor.byId('node-execute-button').click();
	}

	/** The panel on the left, once it holds this text. */
	async input(text: string): Promise<string> {
		const panel = this.editor.byId('ndv-input-panel').filter({ hasText: text });
		return await panel.innerText();
	}

	/** The panel on the right, once it holds this text. */
	async output(text: string | RegExp): Promise<string> {
		const panel = this.editor.byId('output-panel').filter({ hasText: text });
		return await panel.innerText();
	}

	/** Message and description of a failed run, once the message holds this text. */
	async failure(text: string): Promise<{ message: string; description: string }> {
		const message = this.editor.byId('node-error-message').filter({ hasText: text });
		return {
			message: await message.innerText(),
			description: await this.editor.byId('node-error-description').innerText(),
		};
	}

	/** Goes back to the canvas. */
	async close(): Promise<void> {
		await this.editor.byId('ndv-close-button').click();
		await this.editor.byId('ndv').waitFor({ state: 'hidden' });
	}
}
