import type { IncomingHttpHeaders } from 'node:http';
import { scopes, unauthorized, forbiddenText, type Scope } from './documented';
import { ServiceError } from './http/endpoint';
import type { SeededRandom } from './random';
import type { Service } from './service';

/** Shown keys start with this prefix, sandbox keys with it and `test_`. */
const keyPrefix = 'msk_';

/** An API key (docs/service.md, section 2.1); the value is kept because control hands it out. */
export interface ApiKey {
	key: string;
	name: string;
	test: boolean;
	scopes: Scope[];
	revoked: boolean;
	createdAt: number;
	lastUsedAt: number | null;
}

/** All keys of the account. The first two, with every scope, are there from the start. */
export class Keys {
	readonly production: string;

	readonly test: string;

	private readonly byValue = new Map<string, ApiKey>();

	constructor(
		private readonly random: SeededRandom,
		private readonly now: () => number,
	) {
		this.production = this.create({ name: 'production', scopes: [...scopes], test: false }).key;
		this.test = this.create({ name: 'test', scopes: [...scopes], test: true }).key;
	}

	create({ name, scopes, test }: { name?: string; scopes: Scope[]; test: boolean }): ApiKey {
		const key: ApiKey = {
			key: `${keyPrefix}${test ? 'test_' : ''}${this.random.hex(20)}`,
			name: name ?? `key ${this.byValue.size + 1}`,
			test,
			scopes,
			revoked: false,
			createdAt: this.now(),
			lastUsedAt: null,
		};
		this.byValue.set(key.key, key);
		return key;
	}

	find(value: string): ApiKey | undefined {
		return this.byValue.get(value);
	}

	delete(value: string): boolean {
		return this.byValue.delete(value);
	}

	list(): ApiKey[] {
		return [...this.byValue.values()];
	}
}

const authorization = /^(bearer|apikey)\s+(\S+)\s*$/i;

/** The key in any of the three headers (docs/service.md, section 5.1); `x-api-key` goes first. */
function keyValue(headers: IncomingHttpHeaders): string | undefined {
	const own = headers['x-api-key'];
	if (typeof own === 'string') return own;
	return authorization.exec(headers.authorization ?? '')?.[2];
}

/** The caller's key, or 401 when it is missing, unknown or revoked (docs/service.md, section 5.7). */
export function authenticate(
	headers: IncomingHttpHeaders,
	{ state, assumptions, clock }: Service,
): ApiKey {
	const key = state.keys.find(keyValue(headers) ?? '');
	const isRefused = key?.revoked || (key?.test && assumptions.testKeys === 'refused');
	if (!key || isRefused) throw new ServiceError(401, unauthorized);
	key.lastUsedAt = clock.now();
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
		const [, style, value] = authorization.exec(headers.authorization) ?? [];
		redacted.authorization = style && value ? `${style} ${marker(value)}` : '[not readable]';
	}
	return redacted;
}
