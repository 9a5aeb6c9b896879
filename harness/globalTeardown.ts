import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { map, uniq } from 'lodash';
import type { N8n } from './n8n';
import { leftBehind } from './paths';

/** What the sandbox's keys and secrets look like (`sandbox/keys.ts` and `sandbox/state/webhooks.ts`). */
const key = /msk_(?:test_)?[0-9a-f]{40}/;
const secret = /whsec_[0-9a-f]{64}/;

/** Whether the bytes of a file hold what they may not, in saved executions, deleted rows and logs. */
function isLeak(file: string): boolean {
	const text = readFileSync(file, 'latin1');
	// n8n keeps what a trigger must remember, its secret, in the database.
	const isDatabase = /\.sqlite(-wal|-journal|-shm)?$/.test(file);
	return key.test(text) || (!isDatabase && secret.test(text));
}

/** @throws if two credentials share a name: n8n chooses one by its name only if there is one of it */
async function expectOwnNames(n8n?: N8n): Promise<void> {
	const all = await n8n?.rest<Array<{ name: string; type: string }>>('GET', '/credentials');
	const names = map(all, ({ name, type }) => `${type} "${name}"`);
	const shared = uniq(names.filter((name, index) => names.indexOf(name) !== index));
	if (shared.length > 0) throw new Error(`Tests that share an n8n share names: ${shared.join()}`);
}

/**
 * Jest runs it once after the last end-to-end test.
 * @throws if any n8n of the tests has left a key or secret on disk, or if tests share names
 */
export default async function tearDown(): Promise<void> {
	const sharing = await expectOwnNames(globalThis.sharedN8n).catch((error: Error) => error);
	await globalThis.sharedN8n?.stop();
	const files = readdirSync(leftBehind, { recursive: true, encoding: 'utf8' })
		.map((name) => path.join(leftBehind, name))
		.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
	if (!files.some((file) => file.endsWith('.n8n/database.sqlite'))) throw new Error('No database');
	const leaks = files.filter(isLeak);
	if (leaks.length > 0) throw new Error(`A key or secret was left in ${leaks.join(', ')}`);
	rmSync(leftBehind, { recursive: true });
	if (sharing) throw sharing;
}
