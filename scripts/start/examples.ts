/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs on the developer's machine, never inside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_NAME, ROOT, type CredentialRef, type WorkflowJson } from '../../test/support/n8n';

/**
 * Reads a workflow of `examples/`, as a user would import it, and chooses the credential in the
 * nodes of this package, as a user would do next.
 */
export function example(file: string, credential: CredentialRef): WorkflowJson {
	const text = readFileSync(path.join(ROOT, 'examples', file), 'utf8');
	const { name, nodes, connections, settings } = JSON.parse(text) as WorkflowJson;
	const credentials = { messagingServiceApi: credential };
	return {
		name,
		nodes: nodes.map((entry) =>
			entry.type.startsWith(`${PACKAGE_NAME}.`) ? { ...entry, credentials } : entry,
		),
		connections,
		settings,
	};
}
