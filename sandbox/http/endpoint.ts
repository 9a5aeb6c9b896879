import type { Scope } from '../documented';
import type { Context } from './request';

/** One endpoint of docs/service.md, section 4. */
export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Below the service root; `:name` stands for one segment, which `Context.params` has. */
	path: string;
	/** The scope that a key needs; null for any valid key (docs/service.md, section 5.3 to 5.5). */
	scope: Scope | null;
	/** The scope that is assumed to be needed (docs/service.md, section 10.13). */
	openScope?: Scope;
	/** Status of a success; 200 by default. */
	status?: number;
	/** Returns the body of a success (none: status 204), or throws a ServiceError. */
	handle: (context: Context) => object | undefined | Promise<object>;
}
