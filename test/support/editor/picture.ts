import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, rootFolder } from '../../../harness';
import { notePictured } from '../docs/pictured';
import type { Editor } from './editor';

/**
 * Takes a picture of the window into `.cache/editor`. JPEG, because the build copies every PNG and
 * SVG of the clone into the package.
 * @param isForDocs whether it goes into `docs/images` too, when asked to by UPDATE_DOCS=1
 */
export async function takePicture(editor: Editor, name: string, isForDocs = false): Promise<void> {
	const isUpdate = isForDocs && process.env.UPDATE_DOCS === '1';
	const folder = isUpdate ? path.join(rootFolder, 'docs/images') : path.join(cacheFolder, 'editor');
	mkdirSync(folder, { recursive: true });
	if (isUpdate) notePictured();
	// No notices and tips that come and go, and no button that still turns.
	const passing = [
		'.el-notification',
		'.el-notification__group',
		'.el-popper',
		'[data-reka-popper-content-wrapper]',
	];
	const style = `${passing.join(', ')} { display: none !important; }`;
	const turning = editor.page.locator('[data-icon="spinner"], [aria-busy="true"]');
	await turning.first().waitFor({ state: 'hidden' });
	const file = path.join(folder, `${name}.jpg`);
	await editor.page.screenshot({
		path: file,
		type: 'jpeg',
		quality: 80,
		style,
		animations: 'disabled',
	});
}
