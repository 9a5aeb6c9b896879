import { startSandbox, type Sandbox } from '../../../sandbox';
import type { CredentialRef, N8nApi } from '../../../harness';

interface Account {
	sandbox: Sandbox;
	/** n8n's credential for it. */
	credential: CredentialRef;
}

/**
 * A sandbox of its own for the tests of one file, with a credential for it in their n8n. Nothing moves in it
 * by itself.
 *
 * @returns objects that are empty until the tests begin
 */
export function useSandbox(n8n: () => N8nApi): Account {
	const account = { sandbox: {}, credential: {} } as Account;
	beforeAll(async () => {
		Object.assign(account.sandbox, await startSandbox({ lifecycle: { enabled: false } }));
		Object.assign(account.credential, await n8n().createAccount(account.sandbox));
	});
	afterAll(async () => await account.sandbox.close());
	return account;
}

/** Posts to the service as another program of the same account would. */
export const askService = async (
	{ baseUrl, keys }: Sandbox,
	path: string,
	body: object,
): Promise<Response> =>
	await fetch(`${baseUrl}${path}`, {
		method: 'POST',
		headers: { 'x-api-key': keys.production, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
