import type { Editor } from './editor';

/** The window in which a credential is entered. */
export class CredentialDialog {
	private constructor(private readonly editor: Editor) {}

	/** Opens it for a new credential of a type, found by typing into the list of types. */
	static async create(editor: Editor, search: string, type: string): Promise<CredentialDialog> {
		await editor.goTo('/home/credentials', editor.byId('add-resource-credential'));
		await editor.byId('add-resource-credential').click();
		await editor.byId('new-credential-type-select').locator('input').fill(search);
		await editor.byId('new-credential-type-select-option').getByText(type, { exact: true }).click();
		await editor.byId('new-credential-type-button').click();
		return new CredentialDialog(editor);
	}

	async fill(field: string, value: string): Promise<void> {
		await this.editor.byId(`parameter-input-${field}`).locator('input').fill(value);
	}

	/** Saves, whereupon n8n tests the credential. */
	async save(): Promise<void> {
		await this.editor.byId('credential-save-button').click();
	}

	/** What the user sees when the test is good. */
	async success(): Promise<string> {
		const banner = this.editor.byId('credentials-config-container-test-success');
		// It is there all the time, but hidden.
		await banner.waitFor({ state: 'visible' });
		return await banner.innerText();
	}

	/** What the user sees when the test is not, once its details hold this text. */
	async failure(text: string): Promise<string> {
		const shown = this.settings().filter({ hasText: text });
		const more = this.settings().getByText('More details');
		await more.or(shown).first().waitFor();
		if (await more.isVisible()) await more.click();
		return await shown.innerText();
	}

	/** Leaves the window; what was saved stays. */
	async close(): Promise<void> {
		await this.editor.page.keyboard.press('Escape');
		await this.settings().waitFor({ state: 'hidden' });
	}

	private settings() {
		return this.editor.byId('node-credentials-config-container');
	}
}
