import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone itself. */
export const rootFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Everything that a run leaves on disk lies here, and git ignores it. */
export const cacheFolder = path.join(rootFolder, '.cache');
export const tempFolder = path.join(cacheFolder, 'tmp');

/** What the real n8n is installed from. */
export const hostSource = path.join(rootFolder, 'test/e2e/host');

/**
 * Where it is installed: in a folder whose name begins with a dot, because `n8n-node build` copies
 * every icon that it finds in others, and n8n has thousands.
 */
export const hostFolder = path.join(cacheFolder, 'host');

/** The oldest n8n that the tests pass in. */
export const oldestHostSource = path.join(rootFolder, 'test/e2e/oldestHost');
export const oldestHost = path.join(cacheFolder, 'oldest-host');

/** The newest n8n that can be installed. */
export const newestHost = path.join(cacheFolder, 'newest-host');
