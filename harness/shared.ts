import { N8nApi } from './api';
import type { Session } from './client';

/** Environment variable: set by `globalSetup.ts`, inherited by Jest's workers. */
export const variable = 'SHARED_N8N';

/**
 * The n8n that all end-to-end tests share. Give every credential and workflow a name of its own,
 * unpublish what was published, and start another n8n (`startN8n`) for other settings, restarts
 * and crashes.
 */
export function attachN8n(): N8nApi {
	const session = process.env[variable];
	if (session === undefined) throw new Error('No shared n8n: run the e2e project of Jest');
	return new N8nApi(JSON.parse(session) as Session);
}
