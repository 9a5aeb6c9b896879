import type { Variants } from '../choices';
import type { Scope } from '../documented';
import type { Answer } from './answer';
import type { Context } from './context';

/** One endpoint of docs/service.md, section 4. */
export interface Endpoint {
	method: 'GET' | 'POST' | 'DELETE';
	/** Below the service root. */
	path: string;
	/** The scope that a key needs; null for any valid key (docs/service.md, section 5.3 to 5.5). */
	scope: (variants: Variants) => Scope | null;
	/** Answers, or throws a ServiceError. */
	handle: (context: Context) => Answer | Promise<Answer>;
}

/** A scope that is always checked, or null for none. */
export function always(scope: Scope | null): Endpoint['scope'] {
	return () => scope;
}
