import { KEY_PREFIX } from '../choices';
import { SCOPES, type Scope } from '../documented';
import type { SeededRandom } from '../random';

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
		this.production = this.create({ name: 'production', scopes: [...SCOPES], test: false }).key;
		this.test = this.create({ name: 'test', scopes: [...SCOPES], test: true }).key;
	}

	create({ name, scopes, test }: { name?: string; scopes: Scope[]; test: boolean }): ApiKey {
		const key: ApiKey = {
			key: `${KEY_PREFIX}${test ? 'test_' : ''}${this.random.hex(20)}`,
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
