import { z } from 'zod';
import { schema } from './http/validate';
import { pathMatcher, type RequestEntry } from './journal';

const milliseconds = z.number().int().min(0);

/** Which requests a fault affects. */
const anyFault = schema({
	/** Shown in the journal; the kind when absent. */
	name: z.string().min(1).optional(),
	/** Any method when absent. */
	method: z.string().toUpperCase().optional(),
	/** Path below the service root, e.g. `/chat/send` or `/contacts/:id`, or `*` for every path. */
	path: z.string().min(1),
	/** How many requests it hits. */
	count: z.union([z.number().int().positive(), z.literal('infinite')]).default(1),
	/** How many matching requests pass first. */
	skip: z.number().int().min(0).default(0),
	/** Text that a JSON body must contain; forms never match. */
	bodyContains: z.string().min(1).optional(),
	/** Milliseconds to wait before anything else happens. */
	latencyMs: milliseconds.default(0),
});

/** Whether the service acts on the request `before` or `after` the fault. */
const when = z.enum(['before', 'after']).default('before');

/** A way for a request to go wrong. */
export const faultSchema = z.discriminatedUnion('kind', [
	/** Only slow. */
	anyFault.extend({ kind: z.literal('latency'), latencyMs: milliseconds.min(1) }),
	/** Another response. */
	anyFault.extend({
		kind: z.literal('status'),
		when,
		status: z.number().int().min(200).max(599),
		/** A text, or anything else as JSON. */
		body: z.unknown(),
		headers: z.record(z.string()).default({}),
	}),
	/** The connection is cut without a response. */
	anyFault.extend({ kind: z.literal('cut'), when }),
	/** No response ever; the connection stays open until the caller closes it or the sandbox ends. */
	anyFault.extend({ kind: z.literal('silence'), when }),
]);
export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;

/** The faults that are set. At most one of them hits a request: the first that was added. */
export class Faults {
	private faults: Array<{ fault: Fault; seen: number; hits: number }> = [];

	add(fault: Fault): void {
		this.faults.push({ fault, seen: 0, hits: 0 });
	}

	/** Those that can still hit. */
	waiting() {
		return this.faults.filter(({ fault: { count }, hits }) => count === 'infinite' || hits < count);
	}

	clear(): void {
		this.faults = [];
	}

	/** The fault that hits this request; counts it. `text` is the body, empty for forms. */
	match(entry: RequestEntry, text: string): Fault | undefined {
		const fits = ({ method, path, bodyContains = '' }: Fault) =>
			(method ?? entry.method) === entry.method &&
			pathMatcher(path).test(entry.path) &&
			text.includes(bodyContains);
		const hit = this.waiting().find((one) => fits(one.fault) && ++one.seen > one.fault.skip);
		if (hit) hit.hits += 1;
		return hit?.fault;
	}
}
