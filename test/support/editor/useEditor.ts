import type { Browser } from 'playwright-core';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { attachN8n, type CredentialRef, type N8nApi } from '../../../harness';
import { startBrowser } from './browser';
import { Editor } from './editor';

/** What a test file of the editor works with. */
interface EditorOfTests {
	readonly n8n: N8nApi;
	readonly sandbox: Sandbox;
	/** A credential for the sandbox; its name is the file's own. */
	readonly credential: CredentialRef;
	/** The file's window. Going to a page of the editor takes seconds, so tests go on in it. */
	readonly editor: Editor;
}

/**
 * The shared n8n with a sandbox and a browser of the test file's own. Nothing happens in the
 * sandbox by itself.
 * @param name of the credential
 */
export function useEditor(name: string): EditorOfTests {
	const n8n = attachN8n();
	let browser: Browser;
	let sandbox: Sandbox;
	let credential: CredentialRef;
	let editor: Editor;

	beforeAll(async () => {
		[browser, sandbox] = await Promise.all([
			startBrowser(),
			startSandbox({ lifecycle: { enabled: false } }),
		]);
		const { baseUrl, keys } = sandbox;
		credential = await n8n.createCredential(name, { baseUrl, apiKey: keys.production });
		editor = await Editor.open(browser, n8n.session);
	});
	afterAll(async () => {
		await browser.close();
		await sandbox.close();
	});

	return {
		n8n,
		get sandbox() {
			return sandbox;
		},
		get credential() {
			return credential;
		},
		get editor() {
			return editor;
		},
	};
}
