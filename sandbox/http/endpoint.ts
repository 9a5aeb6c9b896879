import { escapeRegExp } from 'lodash';
import type { Scope } from '../documented';
import type { Context } from './request';

/** What the service says to a request. Without a body nothing is written. */
export interface ServiceResponse {
	status: number;
	body?: unknown;
}

export function ok(body?: unknown): ServiceResponse {
	return { status: 200, body };
}

/** The single-field error body (docs/service.md, section 7.1). */
export function errorResponse(status: number, error: string): ServiceResponse {
	return { status, body: { error } };
}

/** An error response. */
export class ServiceError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

/** One endpoint of docs/service.md, section 4. */
export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Below the service root; `:name` stands for one segment, which `Context.params` gives. */
	path: string;
	/** The scope that a key needs; null for any valid key (docs/service.md, section 5.3 to 5.5). */
	scope: Scope | null;
	/** Gives the response, or throws a ServiceError. */
	handle: (context: Context) => ServiceResponse | Promise<ServiceResponse>;
}

/** Matches paths that fit a pattern, in which `:name` stands for any one segment and `*` for any path. */
export function pathMatcher(pattern: string): RegExp {
	const source = pattern === '*' ? '.*' : escapeRegExp(pattern).replace(/:\w+/g, '[^/]+');
	return new RegExp(`^${source}$`);
}
