import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import {
	owner,
	rootFolder,
	type CredentialRef,
	type N8nApi,
	type WorkflowJson,
} from '../../harness';
import type { Sandbox } from '../../sandbox';

const folder = path.join(rootFolder, 'examples');

/** The credential that the examples name; n8n chooses it at the import if there is one with this name. */
export const exampleCredential = 'Messaging Service account';

/** The same for the dashboard trigger. */
export const exampleDashboard = 'Messaging Service Dashboard account';

/** Login and secrets that the demo gives the examples' forms and webhooks, by the names in them. */
export const otherCredentials = {
	'Form login': { type: 'httpBasicAuth', data: { user: 'demo', password: owner.password } },
	[exampleDashboard]: {
		type: 'messagingServiceDashboard',
		data: { verificationToken: owner.password },
	},
	'MCP client': { type: 'httpHeaderAuth', data: { name: 'X-MCP', value: owner.password } },
	Shop: { type: 'httpHeaderAuth', data: { name: 'X-Shop', value: owner.password } },
} as const;

/**
 * Makes all that the examples name.
 *
 * @param suffix added to the names, in an n8n that other tests share
 * @returns the package's own credential
 */
export async function createCredentials(
	n8n: N8nApi,
	sandbox: Pick<Sandbox, 'baseUrl' | 'keys'>,
	suffix = '',
): Promise<CredentialRef> {
	const name = `${exampleCredential}${suffix}`;
	const account = await n8n.createAccount(sandbox, sandbox.keys.production, name);
	for (const [other, { type, data }] of Object.entries(otherCredentials)) {
		await n8n.createCredential(data, type, `${other}${suffix}`);
	}
	return account;
}

/** Names of all workflows in `examples/`. */
export const exampleFiles = (): string[] =>
	readdirSync(folder)
		.filter((name) => name.endsWith('.json'))
		.sort();

/** Reads a workflow of `examples/` as a user would import it. */
export function example(file: string): WorkflowJson {
	const text = readFileSync(path.join(folder, file), 'utf8');
	const { name, nodes, connections, settings } = JSON.parse(text) as WorkflowJson;
	return { name, nodes, connections, settings };
}

/** A recipient that is left empty, in a field, in code or in JSON. */
const empty = /("to":|"phone":|phone: |\\"phone\\": )(\\?["'])\2/g;

/** An example with the recipients that it leaves to its user, who may be anybody: nobody has these numbers. */
export function filledIn(workflow: WorkflowJson): WorkflowJson {
	let next = 210;
	const nodes = workflow.nodes.map((node) => {
		const text = JSON.stringify(node)
			.replace(empty, (_all, key: string, quote: string) => {
				const isEmail = key === '"to":' && node.parameters.resource === 'email';
				const recipient = isEmail ? 'you@host.example' : `+44 7700 900${next++}`;
				return `${key}${quote}${recipient}${quote}`;
			})
			.replace(/("allowedRecipients":)"[^"]*"/, '$1"+44 7700 900210"');
		return JSON.parse(text) as INode;
	});
	return { ...workflow, nodes };
}
