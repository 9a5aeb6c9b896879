import path from 'node:path';

/** The clone itself. */
export const ROOT = path.resolve(__dirname, '..');

/** Everything that a run leaves on disk lies here, and git ignores it. */
export const CACHE = path.join(ROOT, '.cache');

/** Where `scripts/lib/install.mjs` installs the real n8n of `test/e2e/host`, or another one. */
export const HOST = process.env.N8N_HOST_FOLDER ?? path.join(CACHE, 'host');

/** For TMPDIR of every child: nothing is written outside the clone. */
export const TEMP = path.join(CACHE, 'tmp');

export const PACKAGE_NAME = 'n8n-nodes-messaging-service';

/** What `npm pack` made of the built package; `scripts/lib/package.mjs` writes it. */
export const TARBALL = path.join(CACHE, 'package', `${PACKAGE_NAME}.tgz`);

/** The user folders of the n8n processes of one run of the end-to-end tests, kept to be searched. */
export const LEFT_BEHIND = path.join(CACHE, 'left-behind');
