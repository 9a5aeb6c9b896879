import type { Locator } from 'playwright-core';
import { waitFor } from '../../../harness/waiting';
import type { Editor } from './editor';

/** Milliseconds that n8n is given to save and to test a credential. */
const quickMs = 5_000;

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

	/** Saves; gives what the user sees when n8n's test of the credential is good. */
	async success(): Promise<string> {
		return await this.save(this.editor.byId('credentials-config-container-test-success'));
	}

	/** Saves; gives what the user sees when the test is not, with the details that hold this text. */
	async failure(text: string): Promise<string> {
		return await this.save(this.settings().filter({ hasText: text }));
	}

	/** Presses Save again where n8n had not taken up yet what was typed. */
	private async save(shown: Locator): Promise<string> {
		const more = this.settings().getByText('More details');
		let saveAt = 0;
		await waitFor('what the test of the credential says', async () => {
			if (await shown.isVisible()) return true;
			const isSaving = Date.now() > saveAt;
			if (isSaving) saveAt = Date.now() + quickMs;
			const next = isSaving ? this.editor.byId('credential-save-button') : more;
			if (await next.isVisible()) await next.click({ timeout: 1_000 }).catch(() => {});
			return undefined;
		});
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
