import { pathMatcher, type Endpoint } from './http/endpoint';
import * as routes from './routes';

/** Every endpoint of the service, in the order of docs/service.md, section 4.1. */
export const allEndpoints: readonly Endpoint[] = Object.values(routes);

/** The endpoint that serves a request; `path` is below the service root, without the query. */
export function findEndpoint(method: string, path: string): Endpoint | undefined {
	return allEndpoints.find((one) => one.method === method && pathMatcher(one.path)(path));
}
