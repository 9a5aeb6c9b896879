import type { Locator } from 'playwright-core';
import type { Editor } from './editor';

/** The panel in which nodes are searched and added. */
export class NodePanel {
	constructor(private readonly editor: Editor) {}

	/** Opens it on a workflow that is shown. */
	static async open(editor: Editor): Promise<NodePanel> {
		await editor.byId('node-creator-plus-button').click();
		return new NodePanel(editor);
	}

	/** Types into the search field. */
	async search(text: string): Promise<void> {
		await this.editor.byId('node-creator-search-bar').fill(text);
	}

	/** Opens a node that was found; its actions take the place of what was found. */
	async openNode(name: string): Promise<void> {
		await this.entry(name).click();
		await this.entry(name).waitFor({ state: 'detached' });
	}

	/** The heading that opens the actions of a node. */
	actions(): Locator {
		return this.editor.page.getByText(/^Actions \(\d+\)$/);
	}

	/** A node or an action with exactly this name. */
	entry(name: string): Locator {
		return this.editor.byId('node-creator-item-name').getByText(name, { exact: true });
	}
}
