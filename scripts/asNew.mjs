import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, rootFolder } from './lib/paths.mjs';
import { aptGet, chromiumPackage, findChromium, isRootOnDebian } from './lib/programs.mjs';

/**
 * For `.ci/run`: removes what `npm test` installs, so that it begins like a newcomer's. Only with CI=true, as root on
 * Debian, never on somebody's own machine: there it prints what it leaves, and exits with 1.
 */
const isOurs = process.env.CI === 'true' && isRootOnDebian();

// The package that the workflow hands over to its tests stays.
const cached = existsSync(cacheFolder) ? readdirSync(cacheFolder) : [];
const folders = [
	...cached.filter((name) => name !== 'package').map((name) => path.join(cacheFolder, name)),
	path.join(rootFolder, 'node_modules'),
].filter((folder) => existsSync(folder));

if (isOurs) {
	for (const folder of folders) rmSync(folder, { recursive: true });
	await removeChromium();
}
const left = [findChromium(), ...(isOurs ? [] : folders)].filter(Boolean);
console.log(`Left from earlier: ${left.join(', ') || 'nothing'}`);
process.exitCode = isOurs ? 0 : 1;

/** Only after it was downloaded: a mirror that doesn't respond must not cost a machine its Chromium. */
async function removeChromium() {
	if (!findChromium()) return;
	const download = ['install', '--reinstall', '--download-only', chromiumPackage];
	if ((await aptGet('update')) && (await aptGet(...download)))
		await aptGet('purge', chromiumPackage);
}
