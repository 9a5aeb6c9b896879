import { packageName } from '../../../harness';
import type { Editor } from './editor';

/** The page Settings > Community nodes. */
export class CommunityNodes {
	private constructor(private readonly editor: Editor) {}

	static async open(editor: Editor): Promise<CommunityNodes> {
		await editor.goTo(
			'/settings/community-nodes',
			editor.page.getByRole('button', { name: /^Install/ }),
		);
		return new CommunityNodes(editor);
	}

	/** Installs the package by its name, as the dialog asks for it. */
	async install(): Promise<void> {
		await this.editor.page.getByRole('button', { name: /^Install/ }).click();
		await this.editor.byId('package-name-input').fill(packageName);
		await this.editor.byId('user-agreement-checkbox').click();
		await this.editor.byId('install-community-package-button').click();
	}

	/** Presses "Update" on the package's card and confirms. */
	async update(): Promise<void> {
		await this.card().getByRole('button', { name: 'Update' }).click();
		await this.confirm(/update/i);
	}

	/** Chooses "Uninstall package" from the menu of the package's card and confirms. */
	async uninstall(): Promise<void> {
		await this.card().getByTestId('action-toggle').click();
		await this.editor.page.getByText(/^Uninstall/).click();
		await this.confirm(/uninstall/i);
	}

	/** The package's card, once it shows this text. */
	async shows(text: string): Promise<string> {
		return await this.card().filter({ hasText: text }).innerText();
	}

	/** Waits until the list has no package any more. */
	async showsNone(): Promise<void> {
		await this.card().waitFor({ state: 'detached' });
	}

	private card() {
		return this.editor.byId('community-package-card').filter({ hasText: packageName });
	}

	private async confirm(label: RegExp): Promise<void> {
		await this.editor.page.getByRole('dialog').getByRole('button', { name: label }).click();
	}
}
