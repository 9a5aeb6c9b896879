import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './command.mjs';
import { cacheFolder, rootFolder } from './paths.mjs';
import { fingerprint, onceFor } from './stamp.mjs';
import { Trouble } from './trouble.mjs';

const folder = path.join(cacheFolder, 'package');
/** The same file as `tarballPath` in `harness/paths.ts`. */
const tarballPath = path.join(folder, 'n8n-nodes-messaging-service.tgz');
const sources = [
	'nodes',
	'credentials',
	'icons',
	'package.json',
	'tsconfig.json',
	'README.md',
	'LICENSE',
	'CHANGELOG.md',
];

/** Builds the package and packs it as a user gets it, unless the sources are as they were. */
export async function ensureTarball() {
	await onceFor(path.join(folder, 'sources.sha256'), fingerprint(rootFolder, sources), async () => {
		console.log('Building and packing the package');
		const failure = await quietly('npm run build', 'npm', ['run', 'build']);
		if (failure) throw new Trouble(`The package does not build: ${failure}.`);
		await pack();
	});
}

async function pack() {
	const fresh = path.join(folder, 'fresh');
	rmSync(fresh, { recursive: true, force: true });
	mkdirSync(fresh, { recursive: true });
	const args = ['pack', '--ignore-scripts', '--pack-destination', fresh];
	const failure = await quietly('npm pack', 'npm', args);
	const [name] = readdirSync(fresh);
	if (failure || !name) throw new Trouble(`The package cannot be packed: ${failure}.`);
	renameSync(path.join(fresh, name), tarballPath);
	rmSync(fresh, { recursive: true });
}
