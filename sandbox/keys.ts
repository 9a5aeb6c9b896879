import type { IncomingHttpHeaders } from 'node:http';
import { scopes, type Scope } from './documented';
import { ServiceError } from './http/error';
import type { SeededRandom } from './random';

/** An API key (docs/service.md, section 2.1); the value is kept because control shows it. */
interface ApiKey {
	key: string;
	scopes: Scope[];
	revoked: boolean;
}

export const newKey = (
	random: SeededRandom,
	{ prefix = 'msk_', granted = [...scopes] }: { prefix?: string; granted?: Scope[] } = {},
): ApiKey => ({ key: `${prefix}${random.hex(20)}`, scopes: granted, revoked: false });

const authorization = /^(bearer|apikey)\s+(\S+)\s*$/i;

/**
 * Rejects a request without a valid key (401), or whose key lacks the scope (403); null needs none
 * (docs/service.md, section 5 and 7.4). Of the headers, `x-api-key` goes first.
 */
export function authorize(
	headers: IncomingHttpHeaders,
	keys: readonly ApiKey[],
	scope: Scope | null,
): void {
	const own = headers['x-api-key'] ?? authorization.exec(headers.authorization ?? '')?.[2];
	const key = keys.find((one) => one.key === own);
	if (!key || key.revoked) throw new ServiceError(401, 'Unauthorized: Invalid or missing API key');
	if (scope === null || key.scopes.includes(scope)) return;
	const text = `Forbidden: This API key does not have the '${scope}' permission.`;
	throw new ServiceError(403, text);
}
