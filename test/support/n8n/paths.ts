/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs on the developer's machine, never inside n8n */
import path from 'node:path';

/** The clone itself. */
export const ROOT = path.resolve(__dirname, '../../..');

/** Where the real n8n is installed, with a package.json and lock file of its own. */
export const HOST = path.join(ROOT, 'test/e2e/host');

/** Everything that a run leaves on disk lies here, and git ignores it. */
export const CACHE = path.join(ROOT, '.cache');

/** For TMPDIR of every child: nothing is written outside the clone. */
export const TEMP = path.join(CACHE, 'tmp');

export const PACKAGE_NAME = 'n8n-nodes-messaging-service';

/** What `npm pack` made of the built package; `scripts/lib/package.mjs` writes it. */
export const TARBALL = path.join(CACHE, 'package', `${PACKAGE_NAME}.tgz`);
