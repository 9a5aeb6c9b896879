import type { IncomingHttpHeaders } from 'node:http';
import { scopes, type Scope } from './documented';
import { ServiceError } from './http/endpoint';
import type { SeededRandom } from './random';
import type { Service } from './service';

/** Shown keys start with this prefix, sandbox keys with it and `test_`. */
const keyPrefix = 'msk_';

/** An API key (docs/service.md, section 2.1); the value is kept because control hands it out. */
export interface ApiKey {
	key: string;
	scopes: Scope[];
	revoked: boolean;
}

/** All keys of the account. The first two, with every scope, are there from the start. */
export class Keys {
	readonly first: { production: string; test: string };

	readonly all: ApiKey[] = [];

	constructor(private readonly random: SeededRandom) {
		const { key: production } = this.create([...scopes]);
		this.first = { production, test: this.create([...scopes], `${keyPrefix}test_`).key };
	}

	create(scopes: Scope[], prefix: string = keyPrefix): ApiKey {
		const key = { key: `${prefix}${this.random.hex(20)}`, scopes, revoked: false };
		this.all.push(key);
		return key;
	}

	find(value: string): ApiKey | undefined {
		return this.all.find(({ key }) => key === value);
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
export function authenticate(headers: IncomingHttpHeaders, { state }: Service): ApiKey {
	const key = state.keys.find(keyValue(headers) ?? '');
	if (!key || key.revoked) throw new ServiceError(401, 'Unauthorized: Invalid or missing API key');
	return key;
}

/** Refuses a key without `scope` with 403; null asks for none (docs/service.md, section 5.4 and 7.4). */
export function authorize(key: ApiKey, scope: Scope | null): void {
	if (scope === null || key.scopes.includes(scope)) return;
	const text = `Forbidden: This API key does not have the '${scope}' permission.`;
	throw new ServiceError(403, text);
}
