import { CredentialDialog, takePicture, useEditor } from '../support/editor';

const tests = useEditor('Credential');

test('a credential is entered, tested and mended', async () => {
	const { editor } = tests;
	const dialog = await CredentialDialog.create(editor, 'messaging', 'Messaging Service API');
	await dialog.fill('baseUrl', tests.sandbox.baseUrl);
	await dialog.fill('apiKey', 'not-a-key');
	await dialog.save();
	const failure = await dialog.failure('Invalid or missing API key');
	expect(failure).toContain('Couldn’t connect with these settings');
	expect(failure).toContain('Settings > API Keys');
	await takePicture(editor, 'credential-refused');

	await dialog.fill('apiKey', tests.sandbox.keys.production);
	await dialog.save();
	expect(await dialog.success()).toContain('Connection tested successfully');
	await takePicture(editor, 'credential', true);
});
