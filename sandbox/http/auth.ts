import type { IncomingHttpHeaders } from 'node:http';
import { UNAUTHORIZED, forbiddenText, type Scope } from '../documented';
import type { ApiKey, Keys } from '../state/keys';
import { ServiceError } from './serviceError';

const AUTHORIZATION = /^(bearer|apikey)\s+(\S+)\s*$/i;

/** The key in any of the three headers (docs/service.md, section 5.1); `x-api-key` goes first. */
function keyValue(headers: IncomingHttpHeaders): string | undefined {
	const own = headers['x-api-key'];
	if (typeof own === 'string') return own;
	return AUTHORIZATION.exec(headers.authorization ?? '')?.[2];
}

/** The caller's key, or 401 when it is missing, unknown or revoked (docs/service.md, section 5.7). */
export function authenticate(headers: IncomingHttpHeaders, keys: Keys, now: number): ApiKey {
	const key = keys.find(keyValue(headers) ?? '');
	if (!key || key.revoked) throw new ServiceError(401, UNAUTHORIZED);
	key.lastUsedAt = now;
	return key;
}

/** Refuses a key without `scope` with 403; null asks for none (docs/service.md, section 5.4). */
export function authorize(key: ApiKey, scope: Scope | null): void {
	if (scope && !key.scopes.includes(scope)) throw new ServiceError(403, forbiddenText(scope));
}

/** The headers with the key's name in place of its value. */
export function redactedHeaders(headers: IncomingHttpHeaders, keys: Keys): IncomingHttpHeaders {
	const redacted = { ...headers };
	const marker = (value: string) => `[key: ${keys.find(value)?.name ?? 'unknown'}]`;
	const own = headers['x-api-key'];
	if (own !== undefined) redacted['x-api-key'] = marker(String(own));
	if (headers.authorization !== undefined) {
		const [, style, value] = AUTHORIZATION.exec(headers.authorization) ?? [];
		redacted.authorization = style && value ? `${style} ${marker(value)}` : '[not readable]';
	}
	return redacted;
}
