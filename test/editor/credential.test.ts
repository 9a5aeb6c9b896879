import { freePort } from '../../harness/ports';
import { CredentialDialog, takePicture, useEditor } from '../support/editor';

const tests = useEditor('Credential');

test('a credential is entered, tested and mended', async () => {
	const { editor } = tests;
	const dialog = await CredentialDialog.create(editor, 'messaging', 'Messaging Service API');
	await dialog.fill('baseUrl', tests.sandbox.baseUrl);
	await dialog.fill('apiKey', 'not-a-key');
	const failure = await dialog.failure('Invalid or missing API key');
	expect(failure).toContain('Couldn’t connect with these settings');
	expect(failure).toContain('Settings > API Keys');
	await takePicture(editor, 'credential-refused');

	await dialog.fill('apiKey', tests.sandbox.keys.production);
	expect(await dialog.success()).toContain('Connection tested successfully');
	await takePicture(editor, 'credential', true);
	await dialog.close();
});

/** Base URLs that do not work, and what their user reads. */
const wrong: Array<{ url: () => Promise<string> | string; text: string }> = [
	{ url: () => tests.n8n.url, text: 'does not answer like the service' },
	{ url: () => 'https://nowhere.invalid/api/v1', text: 'host nowhere.invalid was not found' },
	{ url: () => tests.sandbox.baseUrl.slice('http://'.length), text: 'is not a web address' },
	{ url: async () => `http://127.0.0.1:${await freePort()}`, text: 'refused the connection' },
	{ url: () => tests.sandbox.baseUrl.replace('v1', 'v2'), text: 'ends in the version segment' },
];

test('what is wrong with a base URL is said with what to do', async () => {
	const { editor } = tests;
	const dialog = await CredentialDialog.create(editor, 'messaging', 'Messaging Service API');
	await dialog.fill('apiKey', 'not-a-key');
	for (const { url, text } of wrong) {
		await dialog.fill('baseUrl', await url());
		const failure = await dialog.failure(text);
		expect(failure).toContain('Couldn’t connect with these settings');
		expect(failure).not.toMatch(/<\w|ENOTFOUND|ECONNREFUSED|ERR_/);
	}
	await dialog.close();
});
