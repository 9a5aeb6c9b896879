import path from 'node:path';

/** The clone itself. */
export const rootFolder = path.resolve(__dirname, '..');

/** Everything that a run leaves on disk lies here, and git ignores it. */
export const cacheFolder = path.join(rootFolder, '.cache');

/** Where `scripts/lib/install.mjs` installs the real n8n of `test/e2e/host`, or another one. */
export const hostFolder = process.env.N8N_HOST_FOLDER ?? path.join(cacheFolder, 'host');

/** For TMPDIR of every child: nothing is written outside the clone. */
export const tempFolder = path.join(cacheFolder, 'tmp');

export const packageName = 'n8n-nodes-messaging-service';

/** What `npm pack` made of the built package; `scripts/lib/package.mjs` writes it. */
export const tarballPath = path.join(cacheFolder, 'package', `${packageName}.tgz`);

/** The user folders of the n8n processes of one run of the end-to-end tests, kept to be searched. */
export const leftBehind = path.join(cacheFolder, 'left-behind');
