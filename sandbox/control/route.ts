import { ServiceError } from '../http/endpoint';
import type { Service } from '../service';

/** What a control request carries. */
export interface ControlInput {
	/** The `:id` of the path. */
	id: string;
	body: unknown;
	query: Record<string, unknown>;
}

/** One request of the control interface; what `run` gives is sent as JSON. */
export interface ControlRoute {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** Below the control root. */
	path: string;
	run: (service: Service, input: ControlInput) => unknown;
}

/** The thing, or 404 when there is none. */
export function found<Thing>(thing: Thing | undefined, what: string): Thing {
	if (thing === undefined) throw new ServiceError(404, `No such ${what}`);
	return thing;
}
