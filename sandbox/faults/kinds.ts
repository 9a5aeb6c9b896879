import { z } from 'zod';
import { schema } from '../http/validate';

const milliseconds = z.number().int().min(0);

/** Which requests a fault takes. */
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

/** Whether the service acts on the request `before` or `after` the fault has a say. */
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
	/** No response ever; the connection stays open until the caller, a reset or the end closes it. */
	anyFault.extend({ kind: z.literal('silence'), when }),
]);
export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { kind: Kind }>;
