import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { CACHE, ROOT } from '../../../harness';
import { notePictured } from '../docs/pictured';
import type { Editor } from './editor';

/**
 * Takes a picture of the window into `.cache/editor`. JPEG, because the build copies every PNG and
 * SVG of the clone into the package.
 * @param isForDocs whether it goes into `docs/images` too, when asked to by UPDATE_DOCS=1
 */
export async function takePicture(editor: Editor, name: string, isForDocs = false): Promise<void> {
	const isUpdate = isForDocs && process.env.UPDATE_DOCS === '1';
	const folder = isUpdate ? path.join(ROOT, 'docs/images') : path.join(CACHE, 'editor');
	mkdirSync(folder, { recursive: true });
	if (isUpdate) notePictured();
	// No notices in the corner that come and go.
	const style = '.el-notification, .el-notification__group { display: none !important; }';
	const file = path.join(folder, `${name}.jpg`);
	await editor.page.screenshot({
		path: file,
		type: 'jpeg',
		quality: 80,
		style,
		animations: 'disabled',
	});
}
