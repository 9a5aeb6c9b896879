import path from 'node:path';
import { rootFolder } from '../../../harness';
import { isWritten } from '../../../harness/docs';
import type { Editor } from './editor';

/**
 * Takes a picture of the window into `docs/images`, when asked to by UPDATE_DOCS=1. JPEG, because the
 * build copies every PNG and SVG of the clone into the package.
 */
export async function takePicture(editor: Editor, name: string): Promise<void> {
	if (!isWritten) return;
	// No notices and tips that come and go, and no button that still turns.
	const passing = [
		'.el-notification',
		'.el-notification__group',
		'.el-popper',
		'[data-reka-popper-content-wrapper]',
	];
	const turning = editor.page.locator('[data-icon="spinner"], [aria-busy="true"]');
	await turning.first().waitFor({ state: 'hidden' });
	await editor.page.screenshot({
		path: path.join(rootFolder, `docs/images/${name}.jpg`),
		type: 'jpeg',
		quality: 80,
		style: `${passing.join(', ')} { display: none !important; }`,
		animations: 'disabled',
	});
}
