import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempFolder } from '../../harness';
import { hostNode } from '../../harness/environment';
import { leftBehind } from '../../harness/paths';

const search = path.join(__dirname, '../support/secrets/search.mjs');

/** A place in the folder of an n8n in which API keys or webhook secrets were found. */
interface Finding {
	/** Table and column of the database, or a file for what its bytes hold. */
	place: string;
	kind: 'key' | 'secret';
	form: 'base64' | 'plain';
	/** What the nodes of a saved execution did, e.g. `webhook.create`. */
	operations: string[];
}

/**
 * Searches everything that an n8n has left in its user folder: all tables and columns of the
 * database, the bytes of the database and its write-ahead log, logs and all other files.
 */
function findingsIn(userFolder: string): Finding[] {
	const output = execFileSync(hostNode, ['--no-warnings', search, userFolder]);
	return JSON.parse(output.toString()) as Finding[];
}

/**
 * Whether a finding is how n8n works, see "Secrets" in docs/reliability.md. A key is none anywhere.
 */
function isExpected({ place, kind, operations }: Finding): boolean {
	if (kind === 'key') return false;
	return (
		place in keptByN8n ||
		// Telling the secret is what this operation is for.
		(place === 'execution_data.data' && operations.includes('webhook.create'))
	);
}

/** Where n8n keeps what a trigger must remember, and why it is there. */
const keptByN8n = {
	'workflow_entity.staticData': 'the state of the trigger, the one place to keep it',
	'bytes of the database': 'the same, also after the row was deleted',
};

const folders = readdirSync(leftBehind);

// What every n8n of the end-to-end tests has left: the shared one and those of single test files.
test.each(folders)('%s holds no key, and webhook secrets only where n8n keeps them', (name) => {
	const folder = path.join(leftBehind, name);
	expect(existsSync(path.join(folder, '.n8n/database.sqlite'))).toBe(true);
	expect(findingsIn(folder).filter((finding) => !isExpected(finding))).toEqual([]);
});

test('what is searched with finds keys and secrets wherever and however they stand', () => {
	const folder = mkdtempSync(path.join(tempFolder, 'secrets-'));
	const [key, secret] = [`msk_${'0a'.repeat(20)}`, `whsec_${'0b'.repeat(32)}`];
	const coded = Buffer.from(`x${key}`).toString('base64');
	const fill = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync('database.sqlite');
		database.exec('CREATE TABLE workflow_entity (nodes, staticData)');
		database.exec('CREATE TABLE execution_data (data, workflowData)');
		const insert = (table) => database.prepare('INSERT INTO ' + table + ' VALUES (?, ?)');
		insert('workflow_entity').run('[${key}]', '{"secret":"${secret}"}');
		insert('execution_data').run('["${coded}"]', '{"nodes":[]}');`;
	execFileSync(hostNode, ['--no-warnings', '-e', fill], { cwd: folder });
	writeFileSync(path.join(folder, 'n8n.log'), `The key is ${key}\n`);
	const found = findingsIn(folder).map(({ kind, form, place }) => `${kind} ${form} ${place}`);
	rmSync(folder, { recursive: true });
	expect(found.sort()).toEqual([
		'key base64 bytes of the database',
		'key base64 execution_data.data',
		'key plain bytes of the database',
		'key plain n8n.log',
		'key plain workflow_entity.nodes',
		'secret plain bytes of the database',
		'secret plain workflow_entity.staticData',
	]);
});
