import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone itself. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Everything that a run leaves on disk lies here, and git ignores it. */
export const CACHE = path.join(ROOT, '.cache');
export const TEMP = path.join(CACHE, 'tmp');
export const LOGS = path.join(CACHE, 'logs');

/** What the real n8n is installed from. */
export const HOST_SOURCE = path.join(ROOT, 'test/e2e/host');

/**
 * Where it is installed: in a folder whose name begins with a dot, because `n8n-node build` copies
 * every icon that it finds in others, and n8n has thousands.
 */
export const HOST = path.join(CACHE, 'host');

/** The oldest n8n that the tests pass in. */
export const OLDEST_HOST_SOURCE = path.join(ROOT, 'test/e2e/oldestHost');
export const OLDEST_HOST = path.join(CACHE, 'oldest-host');

/** What the packages to measure against are installed from, and where. */
export const PEERS_SOURCE = path.join(ROOT, 'bench/peers');
export const PEERS = path.join(CACHE, 'peers');
