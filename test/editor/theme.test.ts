import { readFileSync } from 'node:fs';
import path from 'node:path';
import { takePicture, useEditor, type Theme } from '../support/editor';
import { chain, messagingService, messagingServiceTrigger, rootFolder } from '../../harness';

const tests = useEditor('Theme');

test.each<[Theme, string]>([
	['light', 'messagingService.svg'],
	['dark', 'messagingService.dark.svg'],
])("in the %s theme nodes have the package's %s", async (theme, file) => {
	const { credential, n8n } = tests;
	const parameters = { resource: 'account', operation: 'getBalance' };
	const workflow = chain(`Theme ${theme}`, [
		messagingServiceTrigger({}, credential),
		messagingService(parameters, credential),
	]);
	const editor = await tests.open(theme);
	await editor.openWorkflow(await n8n.createWorkflow(workflow));
	const names = workflow.nodes.map(({ name }) => name);
	const icons = await Promise.all(
		names.map(async (name) => await editor.node(name).locator('img').getAttribute('src')),
	);
	expect(new Set(icons).size).toBe(1);
	const served = await editor.page.request.get(new URL(icons[0] ?? '', n8n.url).href);
	expect(served.headers()['content-type']).toContain('image/svg+xml');
	expect(await served.text()).toBe(readFileSync(path.join(rootFolder, 'icons', file), 'utf8'));
	await takePicture(editor, `theme-${theme}`);
});
