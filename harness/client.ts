import { randomUUID } from 'node:crypto';

/**
 * A throw-away account: the folder it lives in is deleted after the run. Its password is a new one in each
 * process, so that no web page can sign in.
 */
export const owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	// n8n asks for a capital letter.
	password: `N8n-${randomUUID()}`,
};

/** What a client needs to act as the owner; another process can be given it as JSON. */
export interface Session {
	url: string;
	cookie: string;
	apiKey: string;
}

/** An answer of n8n other than 2xx. */
export class N8nHttpError extends Error {
	constructor(
		message: string,
		readonly status: number,
	) {
		super(message);
	}
}

/** For `catch`: gives nothing for an answer of n8n with this status, and throws everything else. */
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

	/** A call of the editor's interface; the answer comes without its `data` envelope. */
	async rest<T>(method: string, path: string, body?: unknown): Promise<T> {
		const { url, cookie } = this.session;
		const response = await request(`${url}/rest${path}`, method, body, { cookie });
		return ((await response.json()) as { data: T }).data;
	}

	/** A call of the public interface. */
	async api<T>(method: string, path: string, body?: unknown): Promise<T> {
		const { url, apiKey } = this.session;
		const response = await request(`${url}/api/v1${path}`, method, body, {
			'X-N8N-API-KEY': apiKey,
		});
		return (await response.json()) as T;
	}
}

/**
 * Creates the owner of a fresh n8n and makes an API key.
 * @param url n8n's address without a trailing slash
 * @param password of the owner that another process has created; this one signs in then
 */
export async function signIn(url: string, password?: string): Promise<Session> {
	const login = { emailOrLdapLoginId: owner.email, password };
	const response =
		password === undefined
			? await request(`${url}/rest/owner/setup`, 'POST', owner)
			: await request(`${url}/rest/login`, 'POST', login);
	const cookie = response.headers
		.getSetCookie()
		.map((line) => line.split(';')[0])
		.join('; ');
	const client = new N8nClient({ url, cookie, apiKey: '' });
	const scopes = await client.rest<string[]>('GET', '/api-keys/scopes');
	const key = await client.rest<{ rawApiKey: string }>('POST', '/api-keys', {
		label: `tests ${crypto.randomUUID()}`,
		scopes,
		expiresAt: null,
	});
	return { url, cookie, apiKey: key.rawApiKey };
}

async function request(
	url: string,
	method: string,
	body?: unknown,
	headers: Record<string, string> = {},
): Promise<Response> {
	const response = await fetch(url, {
		method,
		// A busy n8n closes idle connections that a pool would use again.
		headers: {
			Connection: 'close',
			...headers,
			...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	if (response.ok) return response;
	throw new N8nHttpError(
		`n8n answered ${response.status} to ${method} ${new URL(url).pathname}: ${await response.text()}`,
		response.status,
	);
}
