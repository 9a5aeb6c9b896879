import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { hostNode } from '../../../harness/environment';

const search = path.join(__dirname, 'search.mjs');

/** A place in the folder of an n8n in which API keys or webhook secrets were found. */
interface Finding {
	/** Table and column of the database, or a file for what its bytes hold. */
	place: string;
	kind: 'key' | 'secret';
	form: 'base64' | 'plain';
	/** What the nodes of a saved execution did, e.g. `webhook.create`. */
	operations: string[];
	rows: number[];
}

/**
 * Searches everything that an n8n has left in its user folder: all tables and columns of the
 * database, the bytes of the database and its write-ahead log, logs and all other files.
 */
export function findingsIn(userFolder: string): Finding[] {
	const output = execFileSync(hostNode, ['--no-warnings', search, userFolder]);
	return JSON.parse(output.toString()) as Finding[];
}

/**
 * Whether a finding is how n8n works, see "Secrets" in docs/reliability.md. A key is none anywhere.
 */
export function isExpected({ place, kind, operations }: Finding): boolean {
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
