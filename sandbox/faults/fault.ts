import { z } from 'zod';

const anyFault = {
	/** Shown in the journal; the kind when absent. */
	name: z.string().min(1).optional(),
	/** Any method when absent. */
	method: z.string().toUpperCase().optional(),
	/** Path below the service root, e.g. `/chat/send`, or `*` for every path. */
	path: z.string().min(1),
	/** How many requests it hits. */
	count: z.union([z.number().int().positive(), z.literal('infinite')]).default(1),
	/** How many matching requests pass first. */
	skip: z.number().int().min(0).default(0),
	/** Chance that a matching request is hit. */
	probability: z.number().min(0).max(1).default(1),
	/** Text that a JSON body must contain; forms never match. */
	bodyContains: z.string().min(1).optional(),
	/** Milliseconds to wait before anything else happens. */
	latencyMs: z.number().int().min(0).default(0),
};

/** Whether the service acts on the request before the answer goes wrong. */
const when = { when: z.enum(['before', 'after']).default('before') };

/** A way for a request to go wrong, and which requests it takes. */
export const faultSchema = z.discriminatedUnion('kind', [
	/** Only slow. */
	z
		.object({ kind: z.literal('latency'), ...anyFault, latencyMs: z.number().int().min(1) })
		.strict(),
	/** Any status with any body; objects are sent as JSON. */
	z
		.object({
			kind: z.literal('status'),
			...anyFault,
			...when,
			status: z.number().int().min(200).max(599),
			body: z.unknown(),
			contentType: z.string().optional(),
			headers: z.record(z.string()).optional(),
		})
		.strict(),
	/** A web page where JSON is expected. */
	z
		.object({
			kind: z.literal('html'),
			...anyFault,
			...when,
			status: z.number().int().min(200).max(599).default(200),
		})
		.strict(),
	/** The connection is cut without an answer. */
	z.object({ kind: z.literal('cut'), ...anyFault, ...when }).strict(),
	/** The answer breaks off half-way, after processing. */
	z.object({ kind: z.literal('halfResponse'), ...anyFault }).strict(),
	/** No answer ever; the connection stays open until the caller, a reset or the end closes it. */
	z.object({ kind: z.literal('silence'), ...anyFault, ...when }).strict(),
	/** A redirect. */
	z
		.object({
			kind: z.literal('redirect'),
			...anyFault,
			...when,
			status: z.number().int().min(300).max(399).default(302),
			location: z.string().default('https://elsewhere.example/'),
		})
		.strict(),
]);
export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
