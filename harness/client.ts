import { randomUUID } from 'node:crypto';
import { waitFor } from './waiting';

/** A throw-away account with a new password in each process, so that no web page can sign in. */
export const owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	// n8n requires a capital letter.
	password: `N8n-${randomUUID()}`,
};

/** What a client needs to act as the owner; another process can get it as JSON. */
export interface Session {
	url: string;
	cookie: string;
	apiKey: string;
}

/** The status with which n8n responds while it has no database. */
export const databaseGone = 503;

/** A response of n8n other than 2xx. */
export class N8nHttpError extends Error {
	constructor(
		message: string,
		readonly status: number,
	) {
		super(message);
	}
}

/** For `catch`: returns nothing for a response of n8n with this status, and throws everything else. */
export const unless =
	(status: number) =>
	(error: unknown): undefined => {
		if (!(error instanceof N8nHttpError && error.status === status)) throw error;
	};

/** Speaks the two HTTP interfaces of n8n: the editor's (`/rest`) and the public one (`/api/v1`). */
export class N8nClient {
	constructor(readonly session: Session) {}

	get url(): string {
		return this.session.url;
	}

	/** A call of the editor's interface; the response comes without its `data` envelope. */
	async rest<T>(method: string, path: string, body?: unknown): Promise<T> {
		const { cookie } = this.session;
		const response = await request(`${this.url}/rest${path}`, method, body, { cookie });
		return ((await response.json()) as { data: T }).data;
	}

	/** A call of the public interface. */
	async api<T>(method: string, path: string): Promise<T> {
		const headers = { 'X-N8N-API-KEY': this.session.apiKey };
		const response = await request(`${this.url}/api/v1${path}`, method, undefined, headers);
		return (await response.json()) as T;
	}
}

/**
 * Creates the owner of a fresh n8n and makes an API key.
 * @param url n8n's address without a trailing slash
 * @param password of the owner that another process has created; this one signs in then
 */
export async function signIn(url: string, password?: string): Promise<Session> {
	const [path, body] =
		password === undefined
			? ['owner/setup', owner]
			: ['login', { emailOrLdapLoginId: owner.email, password }];
	const { headers } = await request(`${url}/rest/${path}`, 'POST', body);
	const cookie = headers
		.getSetCookie()
		.map((line) => line.split(';')[0])
		.join('; ');
	const client = new N8nClient({ url, cookie, apiKey: '' });
	const scopes = await client.rest<string[]>('GET', '/api-keys/scopes');
	const key = { label: randomUUID(), scopes, expiresAt: null };
	const { rawApiKey } = await client.rest<{ rawApiKey: string }>('POST', '/api-keys', key);
	return { url, cookie, apiKey: rawApiKey };
}

async function request(
	url: string,
	method: string,
	body?: unknown,
	more: Record<string, string> = {},
): Promise<Response> {
	const { pathname } = new URL(url);
	// A busy n8n closes idle connections that a pool would use again.
	const headers = { Connection: 'close', 'Content-Type': 'application/json', ...more };
	const response = await waitFor(`n8n to respond to ${method} ${pathname}`, async () => {
		const one = await fetch(url, { method, headers, body: JSON.stringify(body) });
		// On a busy machine, n8n can lose its database for a moment, and does nothing then.
		return one.status === databaseGone ? undefined : one;
	});
	if (response.ok) return response;
	const text = `n8n responded ${response.status} to ${method} ${pathname}: ${await response.text()}`;
	throw new N8nHttpError(text, response.status);
}
