import { spawn } from 'node:child_process';
import { cpSync, watch } from 'node:fs';
import path from 'node:path';
import { installedPackage, rootFolder } from '../../harness';
import { endWithParent } from '../../harness/supervised';

const compilerPath = path.join(rootFolder, 'node_modules/typescript/bin/tsc');
const iconsFolder = path.join(rootFolder, 'icons');

/** Environment of an n8n that loads a package again when its files change. */
export const reloading = { N8N_DEV_RELOAD: 'true' };

/**
 * Compiles into the package of a running n8n whenever a source changes. A link from there to `dist/`
 * would not do: n8n forgets what it has loaded by the folder that it watches, and Node calls linked
 * files by their own.
 * @param userFolder n8n's
 * @returns ends it
 */
export function rebuildAtChange(userFolder: string): () => void {
	const dist = path.join(installedPackage(userFolder), 'dist');
	const args = ['--watch', '--preserveWatchOutput', '--outDir', dist];
	const compiler = spawn(process.execPath, ['--import', endWithParent, compilerPath, ...args], {
		cwd: rootFolder,
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	const copy = () => cpSync(iconsFolder, path.join(dist, 'icons'), { recursive: true });
	const icons = watch(iconsFolder, copy);
	return () => {
		icons.close();
		compiler.kill();
	};
}
