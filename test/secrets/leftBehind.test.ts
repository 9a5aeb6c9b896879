import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { leftBehind } from '../../harness/paths';

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

// What every n8n of the end-to-end tests has left: the shared one and those of single test files.
test.each(readdirSync(leftBehind))('%s holds no key, and secrets in the database alone', (name) => {
	const folder = path.join(leftBehind, name);
	const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const files = entries
		.map((entry) => path.join(folder, entry))
		.filter((entry) => lstatSync(entry).isFile());
	expect(files).toContain(path.join(folder, '.n8n/database.sqlite'));
	expect(files.filter(isLeak)).toEqual([]);
});
