import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { background, Trouble } from './command.mjs';
import { fingerprint, once } from './once.mjs';
import { cacheFolder, rootFolder } from './paths.mjs';
import { showing } from './progress.mjs';

/** Everything that the package is made of. */
const sources = [
	...['nodes', 'credentials', 'icons', 'package.json', 'tsconfig.json'],
	...['README.md', 'LICENSE', 'CHANGELOG.md'],
];

/** Builds the package and packs it as a user gets it, unless the sources are as they were. */
export async function ensureTarball() {
	const folder = path.join(cacheFolder, 'package');
	const name = 'n8n-nodes-messaging-service';
	const what = {
		name: 'the package',
		mark: path.join(folder, 'sources.sha256'),
		value: fingerprint(rootFolder, sources),
	};
	await once(what, async ({ began }) => {
		mkdirSync(folder, { recursive: true });
		const { version } = JSON.parse(readFileSync(path.join(rootFolder, 'package.json'), 'utf8'));
		const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
		const step = { what: 'Building and packing the package', duration: 'about 15 seconds' };
		await showing(step, async () => {
			for (const args of [['run', 'build'], pack]) {
				const { code, output } = await background('npm', args, {}, began);
				if (code !== 0) throw new Trouble(`The package does not build:\n${output}`);
			}
		});
		// The same file as `tarballPath` in `harness/paths.ts`.
		const file = path.join(folder, `${name}.tgz`);
		copyFileSync(path.join(folder, `${name}-${version}.tgz`), file);
	});
}
